import type { RegistryError, TransactionFailedError } from '@agent-registry/client'
import { adviceFor, readError } from '../api/errors.ts'
import type { State } from './state.ts'

/** Why a transaction did not happen, for people. */
export interface Problem {
  readonly title: string
  readonly text: string
  readonly advice: string
  /** Of the transaction, if it was signed. */
  readonly id: string | null
  readonly logs: readonly string[]
  /** Another attempt fails, too, until the reader or the operator changes something. */
  readonly isLasting: boolean
}

const ADVICE: Readonly<Record<string, string>> = {
  blockhash_expired: 'Nothing changed and nothing was paid.',
  dropped: 'Nothing changed and nothing was paid.',
  simulation_failed: 'Nothing changed and nothing was paid.',
  execution_failed: 'Nothing changed except the fee.',
  AGENT_NOT_SPONSORED: 'Let your wallet pay the network fee.',
  SPONSOR_WALLET_LIMIT: 'Let your wallet pay the network fee, or try again tomorrow.',
  SPONSOR_CLIENT_TRANSACTION_LIMIT: 'Let your wallet pay the network fee, or try again tomorrow.',
  SPONSOR_BUDGET_USED: 'Let your wallet pay, or try again tomorrow.',
  SPONSOR_CLIENT_LIMIT: 'Let your wallet pay, or try again later.',
  INVITE_CODE_INVALID: 'Ask for another code, or let your wallet pay.',
  SPONSORSHIP_OFF: 'Let your wallet pay.',
}

const OUT_OF_TIME: ReadonlySet<string> = new Set(['blockhash_expired', 'dropped'])

/** An error before a signature exists. */
export function problemBefore(error: unknown, state: State['name']): Problem {
  const { name, message } = error as Error
  const given = { id: null, logs: [], isLasting: true }
  const advice = 'Nothing was signed. Tell the operator of the gateway.'
  if (name === 'UnexpectedTransactionError')
    return { ...given, title: 'The gateway prepared something else', text: message, advice }
  if (name === 'MalformedTransactionError')
    return { ...given, title: 'This page cannot read what the gateway prepared', text: message, advice }
  if (state === 'draft') return problemOf(error, 'The transaction cannot be prepared', null)
  const text = readError(error).message
  const toDo = 'If the wallet refused, look at its window.'
  return { ...given, title: 'It was not signed', text, advice: toDo, isLasting: false }
}

/** The page sends one instruction, so its number and the name of the error tell nothing. */
const PREFIXES = /^(The transaction failed: |Transaction simulation failed: )?(Instruction \d+: (?:\w+: )?)?/

/** An error response of the gateway, or a failed transaction. */
export function problemOf(error: unknown, title: string, id: string | null): Problem {
  const { logs = [] } = error as Partial<RegistryError | TransactionFailedError>
  const { message, code, status } = readError(error)
  const text = message.replace(PREFIXES, '')
  const isTemporary = status === null || status === 429 || status >= 500
  const isLasting = code !== null && !OUT_OF_TIME.has(code) && (code in ADVICE || !isTemporary)
  return { title, text, advice: adviceOn(text, code, status), id, logs, isLasting }
}

function adviceOn(message: string, code: string | null, status: number | null): string {
  const known = ADVICE[code ?? '']
  if (known !== undefined) return known
  if (status !== 422) return adviceFor({ code, status })
  if (/ has no USDC account| USDC are needed/.test(message))
    return 'Nothing was signed. Add USDC to your wallet.'
  return /\bSOL\b/.test(message)
    ? 'Nothing was signed. Add SOL to your wallet, or let the gateway pay.'
    : 'Nothing was signed.'
}
