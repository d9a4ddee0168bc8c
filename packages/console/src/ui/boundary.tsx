import { Component, type ReactNode, useEffect, useState } from 'react'
import { readText, storeText } from '../api/storage.ts'
import { Button } from './button.tsx'
import { ChunkError } from './lazy.ts'
import { Page } from './page.tsx'
import { ErrorState, Loading } from './states.tsx'

interface BoundaryProps {
  /** `small` is for the header and dialogs. */
  readonly part: 'page' | 'section' | 'small'
  readonly children: ReactNode
}

/** If a child throws, or its code does not load, the rest of the page stays. */
export class Boundary extends Component<BoundaryProps, { readonly failure: { error: unknown } | null }> {
  override state = { failure: null as { error: unknown } | null }

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } }
  }

  override render() {
    const { failure } = this.state
    const { part, children } = this.props
    if (failure === null) return children
    if (part === 'small') return <Button onClick={() => location.reload()}>Failed: reload the page</Button>
    const content =
      failure.error instanceof ChunkError ? (
        <NotLoaded error={failure.error} />
      ) : (
        <ErrorState
          error={{ message: `This ${part} stopped working.`, code: 'PART_FAILED' }}
          retry={() => this.setState({ failure: null })}
        >
          <Button onClick={() => location.reload()}>Reload the page</Button>
          <p>{String(failure.error)}</p>
        </ErrorState>
      )
    return part === 'page' ? <Page title="Something went wrong">{content}</Page> : content
  }
}

/** Reloads as soon as the service answers: its new release may have files of other names. */
function NotLoaded({ error }: { readonly error: ChunkError }) {
  const [isTried, setTried] = useState(false)
  const isAgain = readText('sessionStorage', 'reloaded') === location.href
  const reload = async (): Promise<void> => {
    const answers = await fetch(document.baseURI, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    )
    setTried(true)
    if (answers && storeText('sessionStorage', 'reloaded', location.href)) location.reload()
  }
  useEffect(() => {
    if (!isAgain) void reload()
    // Once for each failure.
  }, [])
  if (isAgain) return <ErrorState error={{ ...error, retryAfter: null }} retry={() => location.reload()} />
  return isTried ? <ErrorState error={error} retry={() => void reload()} /> : <Loading />
}
