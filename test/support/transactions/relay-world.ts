import type { Writable } from 'node:stream'
import { Keypair, type TransactionInstruction, VersionedTransaction } from '@solana/web3.js'
import type { GenesisOptions } from '@agent-registry/localnet'
import { registryInstruction } from '@agent-registry/program'
import { afterEach } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import type { TransactionsOptions } from '../../../src/transactions/context.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import {
  addresses,
  createRegistryWorld,
  keyOf,
  programId,
  registrationArgs,
} from '../ledger/registry-world.ts'
import { createTestApp } from '../app.ts'
import { perFile } from '../lifetime.ts'
import { responseOf, type TestResponse } from '../refusal.ts'
import { post as postGraphQL, type GraphQLAnswer } from '../graphql.ts'

export { addresses, keyOf, programId } from '../ledger/registry-world.ts'
export type { TestResponse } from '../refusal.ts'

export interface Prepared {
  id: string
  serializedTx: string
  blockhash: string
  lastValidBlockHeight: number
  estimatedComputeUnits: number
  priorityFee: number
  feePayer: string
}

export interface RecordBody {
  id: string
  status: string
  signature: string | null
  error: { code: string; message: string; logs?: string[] } | null
  slot: number | null
}

/** For slots of 40 ms. */
export const FAST_TIMING = { pollMs: 20, finalityPollMs: 50, resendMs: 200, leaseMs: 5_000, idlePollMs: 50 }

interface RelayWorldOptions {
  slotMs?: number
  finalizedDepth?: number
  /** Default: true. False for tests whose indexer fills the tables. */
  tablesFilled?: boolean
  programs?: GenesisOptions['programs']
  transactions?: Partial<TransactionsOptions>
  log?: Writable | undefined
}

/** The relay in REST and GraphQL, on a real ledger with the registry and a real database. */
export async function createRelayWorld(options: RelayWorldOptions = {}) {
  const registry = await createRegistryWorld(options)
  const calls: string[] = []
  const ledger: LedgerRpc = {
    ...registry.rpc,
    call: (method, params) => {
      calls.push(method)
      return registry.rpc.call(method, params)
    },
  }
  const t = await createTestApp({
    ledger,
    clock: systemClock,
    program: programId,
    tablesFilled: options.tablesFilled,
    log: options.log,
    transactions: { timing: FAST_TIMING, ...options.transactions },
  })
  t.transactions.tracker.start()
  const post = async <Body>(path: string, body: unknown): Promise<TestResponse<Body>> => {
    const response = await t.app.inject({ method: 'POST', url: path, payload: body as object })
    return responseOf(response)
  }
  return {
    ...registry,
    t,
    /** The JSON-RPC methods called so far, in order. */
    calls,
    post,
    graphql: (query: string, variables?: Record<string, unknown>): Promise<GraphQLAnswer> =>
      postGraphQL(t, query, variables),
    /** A wallet with SOL and no agent. */
    funded: async () => {
      const keypair = Keypair.generate()
      await registry.connection.requestAirdrop(keypair.publicKey, 10_000_000_000)
      registry.localnet.stepSlot(2)
      return keypair
    },
    prepare: async (instructions: TransactionInstruction[], signers: Keypair[]): Promise<Prepared> => {
      const { status, body } = await post<Prepared>('/relay/prepare', {
        instructions: instructions.map(toJson),
        signerPubkeys: signers.map(keyOf),
      })
      if (status !== 200) throw new Error(`prepare answered ${status}: ${JSON.stringify(body)}`)
      return body
    },
    submit: (id: string, signedTx: string) =>
      post<RecordBody & { error: unknown; message?: string }>('/relay/submit', { id, signedTx }),
    /** Another replica on the same database. Its tracker is not started. */
    replica: (more?: Partial<TransactionsOptions>) => t.replica({ timing: FAST_TIMING, ...more }),
    settled: async (id: string) => {
      const row = await t.kysely
        .selectFrom('prepared_transactions')
        .select('settled')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.settled ?? false
    },
    status: async (id: string): Promise<RecordBody> =>
      (await t.app.inject(`/relay/status/${id}`)).json<RecordBody>(),
    close: async () => {
      await t.transactions.tracker.stop()
      await t.close()
      await registry.close()
    },
  }
}
export type RelayWorld = Awaited<ReturnType<typeof createRelayWorld>>

/** The world of a test file. The faults of its ledger end with each test. */
export const useRelayWorld = (options: RelayWorldOptions = {}): RelayWorld =>
  withoutFaults(perFile(() => createRelayWorld(options)))

export function withoutFaults<World extends Pick<RelayWorld, 'localnet'>>(world: World): World {
  afterEach(() => world.localnet.fault.clear())
  return world
}

export function signed({ serializedTx }: Pick<Prepared, 'serializedTx'>, ...signers: Keypair[]): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
  transaction.sign(signers)
  return Buffer.from(transaction.serialize()).toString('base64')
}

/** An instruction in the JSON form of the contract. */
export function toJson({ programId, keys, data }: TransactionInstruction) {
  return {
    programId: programId.toBase58(),
    keys: keys.map(({ pubkey, isSigner, isWritable }) => ({
      pubkey: pubkey.toBase58(),
      isSigner,
      isWritable,
    })),
    data: data.toString('base64'),
  }
}

/** register_agent, paid and owned by the same wallet. */
export function registration(owner: Keypair, name = 'Relayed'): TransactionInstruction {
  const key = keyOf(owner)
  return registryInstruction(
    programId,
    'register_agent',
    { payer: key, owner: key, agent: addresses.agent(key) },
    registrationArgs(name),
  )
}
