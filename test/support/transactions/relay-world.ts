import type { Writable } from 'node:stream'
import { Keypair, type TransactionInstruction, VersionedTransaction } from '@solana/web3.js'
import type { GenesisOptions } from '@agent-registry/localnet'
import { registryInstruction } from '@agent-registry/program'
import { systemClock } from '../../../src/platform/clock.ts'
import type { TransactionsOptions } from '../../../src/transactions/context.ts'
import type { Transactions } from '../../../src/transactions/transactions.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import {
  addresses,
  createRegistryWorld,
  keyOf,
  programId,
  registrationArgs,
  type RegistryWorld,
} from '../ledger/registry-world.ts'
import { createTestApp, type TestApp } from '../app.ts'
import { post as postGraphQL, type GraphQLAnswer } from '../graphql.ts'

export { addresses, keyOf, programId } from '../ledger/registry-world.ts'

export interface TestResponse<Body = Record<string, unknown>> {
  status: number
  body: Body
}

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

/** The relay in REST and GraphQL, on a real ledger with the registry and a real database. */
export interface RelayWorld extends RegistryWorld {
  readonly t: TestApp
  /** The JSON-RPC methods called so far, in order. */
  readonly calls: string[]
  post<Body>(path: string, body: unknown): Promise<TestResponse<Body>>
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphQLAnswer>
  /** A wallet with SOL and no agent. */
  funded(): Promise<Keypair>
  prepare(instructions: TransactionInstruction[], signers: Keypair[]): Promise<Prepared>
  submit(
    id: string,
    signedTx: string,
  ): Promise<TestResponse<RecordBody & { error: unknown; message?: string }>>
  status(id: string): Promise<RecordBody>
  /** Whether the transaction is settled. */
  settled(id: string): Promise<boolean>
  /** Another replica on the same database. Its tracker is not started. */
  replica(options?: Partial<TransactionsOptions>): Transactions
}

export async function createRelayWorld(
  options: {
    slotMs?: number
    finalizedDepth?: number
    /** Default: true. False for tests whose indexer fills the tables. */
    tablesFilled?: boolean
    /** More programs on the ledger. */
    programs?: GenesisOptions['programs']
    transactions?: Partial<TransactionsOptions>
    /** Where the log goes; nowhere by default. */
    log?: Writable | undefined
  } = {},
): Promise<RelayWorld> {
  const registry = await createRegistryWorld({
    slotMs: options.slotMs ?? 40,
    finalizedDepth: options.finalizedDepth,
    programs: options.programs,
  })
  const calls: string[] = []
  const ledger = recordCalls(registry.rpc, calls)
  const t = await createTestApp({
    ledger,
    clock: systemClock,
    program: programId,
    tablesFilled: options.tablesFilled,
    log: options.log,
    transactions: { timing: FAST_TIMING, ...options.transactions },
  })
  t.transactions.tracker.start()
  const world: RelayWorld = {
    ...registry,
    t,
    calls,
    post: async (path, body) => {
      const response = await t.app.inject({ method: 'POST', url: path, payload: body as object })
      return { status: response.statusCode, body: response.json() }
    },
    graphql: (query, variables) => postGraphQL(t, query, variables),
    funded: async () => {
      const keypair = Keypair.generate()
      await registry.connection.requestAirdrop(keypair.publicKey, 10_000_000_000)
      registry.localnet.stepSlot(2)
      return keypair
    },
    prepare: async (instructions, signers) => {
      const { status, body } = await world.post<Prepared>('/relay/prepare', {
        instructions: instructions.map(toJson),
        signerPubkeys: signers.map(keyOf),
      })
      if (status !== 200) throw new Error(`prepare answered ${status}: ${JSON.stringify(body)}`)
      return body
    },
    submit: (id, signedTx) => world.post('/relay/submit', { id, signedTx }),
    replica: (more) => t.replica({ timing: FAST_TIMING, ...more }),
    settled: async (id) => {
      const row = await t.kysely
        .selectFrom('prepared_transactions')
        .select('settled')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.settled ?? false
    },
    status: async (id) => (await t.app.inject(`/relay/status/${id}`)).json(),
    close: async () => {
      await t.transactions.tracker.stop()
      await t.close()
      await registry.close()
    },
  }
  return world
}

function recordCalls(rpc: LedgerRpc, calls: string[]): LedgerRpc {
  return {
    ...rpc,
    call: (method, params) => {
      calls.push(method)
      return rpc.call(method, params)
    },
  }
}

/** Signs a prepared transaction. */
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
