import { parseMessage, type WireTransaction } from '@agent-registry/solana'
import { hasSameBudget, matchesPrepared } from './match.ts'

interface Prepared {
  /** Base64. */
  readonly message: string
  readonly signature: string | null
}

/**
 * The prepared transactions that a transaction of the ledger is, among all that have its match key.
 * Anybody can prepare the same instructions with another priority fee, and these must not count.
 */
export function ownRows<Row extends Prepared>(
  { message, signature }: WireTransaction,
  rows: readonly Row[],
): readonly Row[] {
  const versions = rows.flatMap((row) => {
    const prepared = parseMessage(Buffer.from(row.message, 'base64'))
    if (!matchesPrepared(prepared, message)) return []
    return [{ row, isOwn: row.signature === signature || hasSameBudget(prepared, message) }]
  })
  const own = versions.filter(({ isOwn }) => isOwn)
  if (own.length > 0) return own.map(({ row }) => row)
  // A wallet lowered the fee. It is not known of which one, if there are several.
  const messages = new Set(versions.map(({ row }) => row.message))
  return messages.size === 1 ? versions.map(({ row }) => row) : []
}
