import type { RegistryError, TransactionFailedError } from '@agent-registry/client'
import { adviceFor, readError } from '../api/errors.ts'

/** Why a transaction did not happen, for people. */
export interface Problem {
  readonly title: string
  readonly text: string
  readonly advice: string
  /** Of the transaction, if it was sent. */
  readonly id: string | null
  readonly logs: readonly string[]
}

/** The reader closed the review. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'
}

const ADVICE: Readonly<Record<string, string>> = {
  blockhash_expired: 'It can no longer land. Start again, and sign within a minute.',
  TRANSACTION_EXPIRED: 'It was open for too long. Start again, and sign within a minute.',
  timeout: 'Open the transaction later: it may still be confirmed. Do not send it twice.',
  outcome_unknown: 'Check your agent before you send it again.',
  AGENT_NOT_SPONSORED: 'Let your wallet pay the network fee.',
  SPONSOR_WALLET_LIMIT: 'Let your wallet pay the network fee, or try again tomorrow.',
  SPONSOR_CLIENT_TRANSACTION_LIMIT: 'Let your wallet pay the network fee, or try again tomorrow.',
  SPONSOR_BUDGET_USED: 'Let your wallet pay, or try again tomorrow.',
  SPONSOR_CLIENT_LIMIT: 'Let your wallet pay, or try again tomorrow.',
  INVITE_CODE_INVALID: 'Ask for another code, or let your wallet pay.',
  SPONSORSHIP_OFF: 'Let your wallet pay.',
}

/** `signed`: whether the wallet had signed. */
export function problemOf(error: unknown, signed: boolean): Problem {
  const { name, message } = error as Error
  const { programError = null, logs = [] } = error as Partial<RegistryError | TransactionFailedError>
  if (name === 'TransactionFailedError') {
    const { code, id } = error as TransactionFailedError
    const title = code === 'timeout' ? 'The outcome is not known yet' : 'The transaction failed'
    const text = programError?.message ?? message.replace('The transaction failed: ', '')
    return { title, text, advice: ADVICE[code] ?? 'Nothing changed except the fee.', id, logs }
  }
  if (name === 'UnexpectedTransactionError' || name === 'MalformedTransactionError')
    return {
      title: 'The gateway prepared something else',
      text: message,
      advice: 'Nothing was signed. Tell the operator of the gateway.',
      id: null,
      logs,
    }
  const read = readError(error)
  if (name === 'RegistryError') {
    const text = programError?.message ?? read.message.replace('Transaction simulation failed: ', '')
    const needsSol = /\bSOL\b/.test(text) ? ' Add SOL to your wallet, or let the gateway pay.' : ''
    return {
      title: signed ? 'The gateway did not send it' : 'The transaction cannot be prepared',
      text,
      advice:
        ADVICE[read.code ?? ''] ?? (read.status === 422 ? `Nothing was signed.${needsSol}` : adviceFor(read)),
      id: null,
      logs,
    }
  }
  return {
    title: signed ? 'The transaction was not sent' : 'It was not signed',
    text: read.message,
    advice: 'Try again. If the wallet refused, look at its window.',
    id: null,
    logs,
  }
}
