import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/tables.ts'
import type { Pubkey } from '../domain/pubkey.ts'
import type { LedgerCalls } from '../service-info/ledger-probe.ts'
import { createChainHead } from './chain-head.ts'
import { estimateFees, type EstimateFeesInput } from './estimate-fees.ts'
import { createFeeSamples, type FeeEstimate } from './fee-samples.ts'
import { getTransaction } from './get-transaction.ts'
import { defaultAllowedPrograms } from './policy.ts'
import { type PreparedTransactionView, prepare, type PrepareInput } from './prepare.ts'
import type { TransactionRecord } from './record.ts'
import { createTransactionStore } from './transaction-store.ts'

export interface RelayService {
  prepare(input: PrepareInput): Promise<PreparedTransactionView>
  estimateFees(input: EstimateFeesInput): Promise<FeeEstimate>
  get(id: string): Promise<TransactionRecord>
}

export interface RelayOptions {
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerCalls
  readonly clock: Clock
  readonly registryProgram: Pubkey
  /** Replaces the default allowlist. */
  readonly allowedPrograms: readonly Pubkey[] | null
  readonly newId?: () => string
}

export interface Relay {
  readonly service: RelayService
}

/** The relay of one process; several share a database. */
export function createRelay(options: RelayOptions): Relay {
  const { kysely, rpc, clock, registryProgram, newId = randomUUID } = options
  const store = createTransactionStore(kysely)
  const head = createChainHead(rpc, clock)
  const fees = createFeeSamples(rpc, clock)
  const allowedPrograms = new Set(options.allowedPrograms ?? defaultAllowedPrograms(registryProgram))
  const preparing = { rpc, clock, store, head, fees, registryProgram, allowedPrograms, newId }
  return {
    service: {
      prepare: (input) => prepare(input, preparing),
      estimateFees: (input) => estimateFees(input, fees),
      get: (id) => getTransaction(store, id),
    },
  }
}
