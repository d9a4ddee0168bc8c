import type { WireTransaction } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { BuildTransaction, PreparedTransaction, PrepareInput } from './prepared-transaction.ts'
import type { TransactionRow } from './record.ts'

/** What the relay leaves to `src/sponsorship`: the transactions that the service pays for. */
export interface SponsorHooks {
  /** Prepares a transaction that is not a registration. */
  prepare(input: PrepareInput, clientIp: string, build: BuildTransaction): Promise<PreparedTransaction>
  /** Throws if a sponsored transaction must be submitted to another endpoint. */
  authorize(row: TransactionRow): void
  /**
   * Checks a transaction that matches the prepared one, signs it as the fee payer and stores it as
   * `submitted`. Stores the failure if its simulation fails. Null if another process wrote first.
   */
  countersign(
    row: TransactionRow,
    transaction: WireTransaction,
    clientIp: string,
  ): Promise<TransactionRow | null>
}

const refuse = (): never => {
  throw new DomainError('SPONSORSHIP_OFF')
}
const unavailable = async (): Promise<never> => refuse()

export const NO_SPONSOR: SponsorHooks = {
  prepare: unavailable,
  authorize: refuse,
  countersign: unavailable,
}
