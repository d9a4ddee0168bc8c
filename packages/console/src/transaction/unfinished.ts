import type { UnfinishedTransaction } from '@agent-registry/client'
import { hasTexts, readValue, storeValue } from '../api/storage.ts'

/** A signed transaction whose outcome this tab does not know yet. A reload does not lose it. */
export interface StoredTransaction {
  readonly wallet: string
  /** What the reader asked for: "Deposit 100 USDC". */
  readonly title: string
  readonly transaction: UnfinishedTransaction
}

const NAME = 'unfinished transactions'
/** One wallet has one. More wallets than that are not used in one tab. */
const MAX_STORED = 8
const MAX_TITLE = 200

export function readUnfinished(): StoredTransaction[] {
  const stored = readValue(NAME)
  return Array.isArray(stored) ? stored.slice(0, MAX_STORED).filter(isStored) : []
}

/** False if the browser does not store it. */
export function storeUnfinished(added: StoredTransaction): boolean {
  return storeValue(NAME, [added, ...readUnfinished().filter(isOther(added.transaction.id))])
}

export function removeUnfinished(id: string): void {
  const rest = readUnfinished().filter(isOther(id))
  storeValue(NAME, rest.length === 0 ? null : rest)
}

const isOther =
  (id: string) =>
  ({ transaction }: StoredTransaction): boolean =>
    transaction.id !== id

function isStored(value: unknown): value is StoredTransaction {
  if (!hasTexts(value, 'wallet', 'title') || value.title.length > MAX_TITLE) return false
  const { transaction } = value as Partial<StoredTransaction>
  if (!hasTexts(transaction, 'id', 'signedTx')) return false
  const { id, signature, lastValidBlockHeight, registration } = transaction
  return (
    /^[\w-]{1,64}$/.test(id) &&
    (signature === null || typeof signature === 'string') &&
    Number.isSafeInteger(lastValidBlockHeight) &&
    (registration === undefined || hasTexts(registration, 'signerPubkey', 'inviteCode'))
  )
}
