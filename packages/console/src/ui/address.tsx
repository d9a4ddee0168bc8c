import { useEffect, useState } from 'react'
import css from './address.module.css'

interface AddressProps {
  /** An address, a DID, a signature or an id. */
  readonly value: string
  /** What it is, for screen readers: "owner". */
  readonly label?: string
}

/** An address, shortened in the middle. A click copies all of it. */
export function Address({ value, label = 'address' }: AddressProps) {
  const { copied, copy } = useCopy()
  return (
    <button type="button" className={css.address} title={value} onClick={() => void copy(value)}>
      <span aria-hidden="true">{copied ? <span className="good">Copied</span> : shorten(value)}</span>
      <span className="visually-hidden">{`Copy ${label} ${value}`}</span>
      <span className="visually-hidden" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </button>
  )
}

/** The first and last characters, after a prefix such as `did:sol:`. All of a host name. */
export function shorten(value: string): string {
  // Anybody can choose a host whose ends are those of another one.
  if (value.startsWith('did:web:')) return value
  const prefix = /^(did:\w+:|\w{2,4}_)?/.exec(value)![0]
  const rest = value.slice(prefix.length)
  return rest.length <= 13 ? value : `${prefix}${rest.slice(0, 5)}…${rest.slice(-5)}`
}

/** Copies text. `copied` is true for two seconds after it. */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<void> } {
  const [copied, setCopied] = useState(0)
  useEffect(() => {
    if (copied === 0) return undefined
    const timer = setTimeout(() => setCopied(0), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (text: string): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied((times) => times + 1)
  }
  return { copied: copied > 0, copy }
}
