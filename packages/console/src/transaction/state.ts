import type { Transaction, UnfinishedTransaction } from '@agent-registry/client'
import type { Problem } from './problem.ts'

/** What the gateway prepared. It can land until the ledger is above this block height. */
export interface Prepared {
  readonly bytes: Uint8Array
  /** The registry program whose instructions it has. */
  readonly program: string
  readonly lastValidBlockHeight: number
}

/** The life of one transaction. Another attempt is another transaction. */
export type State =
  /** With a problem, the attempt has ended and nothing was signed. */
  | { readonly name: 'draft'; readonly problem: Problem | null }
  | { readonly name: 'prepared' | 'signing'; readonly prepared: Prepared }
  | { readonly name: 'submitting'; readonly unfinished: UnfinishedTransaction }
  | Unknown
  | { readonly name: 'landed'; readonly transaction: Transaction }
  | { readonly name: 'failed'; readonly problem: Problem }
  /** `prepared`, if it was never signed. */
  | { readonly name: 'expired'; readonly prepared: Prepared }
  | { readonly name: 'expired'; readonly prepared: null; readonly problem: Problem }

/** It is signed, and nobody knows yet whether it landed. */
export interface Unknown {
  readonly name: 'unknown'
  readonly unfinished: UnfinishedTransaction
  /** Why the gateway did not take it. Until its block height has passed, it could still land. */
  readonly refusal: Problem | null
  /** `lost`: its block height has passed, and no record says whether it landed. */
  readonly chance: 'can land' | 'passed' | 'lost'
}

export type Event =
  /** Before a signature: the preparation or the wallet failed. */
  | { readonly kind: 'stopped'; readonly problem: Problem }
  | { readonly kind: 'prepared'; readonly prepared: Prepared }
  | { readonly kind: 'sign' }
  | { readonly kind: 'signed'; readonly unfinished: UnfinishedTransaction }
  /** The block height of the ledger is above the last valid one. */
  | { readonly kind: 'passed' }
  /** No answer, or one that does not tell the outcome. */
  | { readonly kind: 'unsure' }
  | { readonly kind: 'submitted' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'lost' }
  | { readonly kind: 'landed'; readonly transaction: Transaction }
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'expired'; readonly problem: Problem }

export const DRAFT: State = { name: 'draft', problem: null }

/** The state of a transaction that was signed before the page was loaded. */
export const resumed = (unfinished: UnfinishedTransaction): State => ({
  name: 'unknown',
  unfinished,
  refusal: null,
  chance: 'can land',
})

/** Events that come too late for the state change nothing. */
export function next(state: State, event: Event): State {
  switch (state.name) {
    case 'draft':
      if (event.kind === 'prepared') return { name: 'prepared', prepared: event.prepared }
      return event.kind === 'stopped' ? { name: 'draft', problem: event.problem } : state
    case 'prepared':
    case 'signing':
      if (event.kind === 'stopped') return { name: 'draft', problem: event.problem }
      if (event.kind === 'passed') return { name: 'expired', prepared: state.prepared }
      if (event.kind === 'sign') return { name: 'signing', prepared: state.prepared }
      if (event.kind === 'signed' && state.name === 'signing')
        return { name: 'submitting', unfinished: event.unfinished }
      return state
    case 'submitting':
    case 'unknown':
      return afterSignature(state, event)
    default:
      return state
  }
}

/** Only the ledger, or a block height after which it cannot land, ends a signed transaction. */
function afterSignature(state: Unfinished, event: Event): State {
  const { unfinished } = state
  const unknown = state.name === 'unknown' ? state : (resumed(unfinished) as Unknown)
  switch (event.kind) {
    case 'landed':
      return { name: 'landed', transaction: event.transaction }
    case 'failed':
      return { name: 'failed', problem: event.problem }
    case 'expired':
      return { name: 'expired', prepared: null, problem: unknown.refusal ?? event.problem }
    case 'submitted':
      return unknown.chance === 'can land' ? { name: 'submitting', unfinished } : unknown
    case 'unsure':
      return unknown
    case 'refused':
      return { ...unknown, refusal: event.problem }
    case 'passed':
      return { ...unknown, chance: 'passed' }
    case 'lost':
      return unknown.chance === 'passed' ? { ...unknown, chance: 'lost' } : unknown
    default:
      return state
  }
}

type Unfinished = Extract<State, { readonly unfinished: UnfinishedTransaction }>

/** It is signed, and its outcome is not known. */
export function isUnfinished(state: State): state is Unfinished {
  return state.name === 'submitting' || state.name === 'unknown'
}

/** The page asks for its outcome until there is one, or until none can be found any more. */
export function isFollowed(state: State): boolean {
  return isUnfinished(state) && !(state.name === 'unknown' && state.chance === 'lost')
}

/** Nothing of it can land any more, so another attempt cannot do it twice. */
export function mayPrepareAgain(state: State): boolean {
  return (state.name === 'draft' && state.problem !== null) || ['failed', 'expired'].includes(state.name)
}
