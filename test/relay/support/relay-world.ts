import { Keypair, type TransactionInstruction } from '@solana/web3.js'
import { systemClock } from '../../../src/clock.ts'
import type { RelayOptions } from '../../../src/relay/relay.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc.ts'
import { registryInstruction } from '../../../src/ledger/registry-instructions.ts'
import {
  addresses,
  createRegistryWorld,
  keyOf,
  programId,
  registrationArgs,
  type RegistryWorld,
} from '../../indexer/support/registry-world.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { post as postGraphQL, type GraphQLAnswer } from '../../support/graphql.ts'

export { addresses, keyOf, programId } from '../../indexer/support/registry-world.ts'

export interface Answer<Body = Record<string, unknown>> {
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

/** The relay behind both doors, on a real ledger with the registry and a real database. */
export interface RelayWorld extends RegistryWorld {
  readonly t: TestApp
  /** The JSON-RPC methods called so far, in order. */
  readonly calls: string[]
  post<Body>(path: string, body: unknown): Promise<Answer<Body>>
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphQLAnswer>
  /** A wallet with SOL and no agent. */
  funded(): Promise<Keypair>
  prepare(instructions: TransactionInstruction[], signers: Keypair[]): Promise<Prepared>
  status(id: string): Promise<RecordBody>
}

export async function createRelayWorld(
  options: { slotMs?: number; relay?: Partial<RelayOptions> } = {},
): Promise<RelayWorld> {
  const registry = await createRegistryWorld({ slotMs: options.slotMs ?? 40 })
  const calls: string[] = []
  const ledger = watched(registry.rpc, calls)
  const t = await createTestApp({
    ledger,
    clock: systemClock,
    relay: { registryProgram: programId, ...options.relay },
  })
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
    status: async (id) => (await t.app.inject(`/relay/status/${id}`)).json(),
    close: async () => {
      await t.close()
      await registry.close()
    },
  }
  return world
}

function watched(rpc: LedgerRpc, calls: string[]): LedgerRpc {
  return {
    ...rpc,
    call: (method, params) => {
      calls.push(method)
      return rpc.call(method, params)
    },
  }
}

/** An instruction as the contract has it in JSON. */
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
