import { Component, type ReactNode, useEffect, useState } from 'react'
import { reloadIfAnswering, reloadSeconds, reloadsOf } from '../api/reload.ts'
import { Button } from './button.tsx'
import { ChunkError } from './lazy.tsx'
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

/** Reloads the page when the service answers: at once, or later if a reload did not help. */
function NotLoaded({ error }: { readonly error: ChunkError }) {
  const [seconds] = useState(reloadSeconds)
  const [isTried, setTried] = useState(() => reloadsOf() > 0)
  useEffect(() => {
    if (!isTried) void reloadIfAnswering().then(() => setTried(true))
  }, [isTried])
  if (!isTried) return <Loading />
  return (
    <ErrorState
      error={{ message: error.message, retryAfter: seconds }}
      retry={() => void reloadIfAnswering()}
    >
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </ErrorState>
  )
}
