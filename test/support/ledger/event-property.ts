import { isDeepStrictEqual } from 'node:util'
import bs58 from 'bs58'
import {
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { MAX_TRANSACTION_VERSION, type Pubkey } from '@agent-registry/solana'
import {
  decodeAccount,
  decodeEvent,
  type RegistryAccounts,
  type RegistryEvent,
} from '@agent-registry/program'
import * as fc from '../property.ts'
import {
  decodeTransaction,
  isSentByProgram,
  registryCalls,
} from '../../../src/ledger/decode/decode-transaction.ts'
import { emptyRows } from '../../../src/ledger/decode/rows.ts'
import { invocationsOf, type RpcTransaction } from '../../../src/ledger/decode/rpc-transaction.ts'
import { EVENT_OF, type EventCase, eventCase, instructionsOf, nameOf, signersOf } from './event-cases.ts'
import { type AgentState, applyEvents, stateOf } from './event-model.ts'
import { hostileProgram } from './hostile-program.ts'
import {
  addresses,
  type AgentWallet,
  createRegistryWorld,
  programId,
  type RegistryWorld,
} from './registry-world.ts'

const DAY = 86_400
const MAX_BYTES = 1_232

interface EventCounts {
  sent: number
  succeeded: number
  events: number
  truncated: number
}

/**
 * Sends generated transactions and compares the decoded events of each with the changes of the
 * accounts. Throws at the first difference.
 */
export async function checkEventsEqualChanges(runs: number, seed?: number): Promise<EventCounts> {
  const world = await createRegistryWorld({ slotMs: 0, programs: [hostileProgram] })
  try {
    const wallets = await Promise.all(['a', 'b', 'c', 'd'].map((name) => world.wallet(name)))
    for (const { owner } of wallets) await world.rpc.call('localnet_mintUsdc', [owner, 10 ** 13])
    world.localnet.stepSlot()
    const counts = { sent: 0, succeeded: 0, events: 0, truncated: 0 }
    const property = fc.asyncProperty(eventCase, (generated) => check(generated, wallets, world, counts))
    // The ledger keeps its state between the runs, so a smaller case would not mean the same.
    const options = { numRuns: runs, endOnFailure: true, ...(seed === undefined ? {} : { seed }) }
    await fc.assert(property, options)
    return counts
  } finally {
    await world.close()
  }
}

async function check(
  generated: EventCase,
  wallets: readonly AgentWallet[],
  world: RegistryWorld,
  counts: EventCounts,
): Promise<void> {
  const wallet = wallets[generated.wallet]!
  if (generated.days > 0) world.localnet.warp(generated.days * DAY)
  const before = await states(world, wallets)
  const state = before.get(wallet.agent)!
  const transaction = await send(instructionsOf(generated, wallet, state, world), wallet, world)
  fc.pre(transaction !== null)
  const after = await states(world, wallets)
  const { meta } = transaction
  const events = eventsOf(transaction)
  counts.sent += 1
  if (meta === null || meta.err !== null) {
    expectEqual(events, [], 'a failed transaction has no event')
    expectEqual(after, before, 'a failed transaction changes nothing')
    return
  }
  counts.succeeded += 1
  counts.events += events.length
  if (meta.logMessages?.includes('Log truncated') === true) counts.truncated += 1
  expectEqual(generated.forgery, 'none', 'a transaction with a forged event fails')
  expectEqual(generated.fails, false, 'a transaction with a failed call fails')
  expectEqual(applyEvents(before, events), after, 'the events lead to the state after the transaction')
  const called = generated.operations.map((operation) => nameOf(operation, state))
  const always = called.flatMap((name) => EVENT_OF[name] ?? [])
  const others = new Set(['TierUpdated', 'ReputationUpdated'])
  const names = events.map((event) => event.name)
  expectEqual(
    names.filter((name) => !others.has(name)),
    always,
    'each instruction has its event',
  )
  const reports = called.filter((name) => name === 'report_behavior').length
  const reputation = names.filter((name) => name === 'ReputationUpdated').length
  expectEqual(reputation <= reports, true, 'a report has at most one event')
}

/** Null if the transaction is too large. */
async function send(
  instructions: TransactionInstruction[],
  wallet: AgentWallet,
  world: RegistryWorld,
): Promise<(RpcTransaction & { meta: { logMessages?: string[] } | null }) | null> {
  const { connection, admin, reporter, rpc, localnet } = world
  const signers = [wallet.keypair, ...signersOf(instructions, [admin, reporter])]
  const { blockhash } = await connection.getLatestBlockhash('processed')
  const bytes = serialized(instructions, blockhash, signers)
  if (bytes === null) return null
  const signature = await rpc.call<string>('sendTransaction', [
    bytes.toString('base64'),
    { encoding: 'base64', skipPreflight: true },
  ])
  localnet.stepSlot()
  const config = {
    encoding: 'json',
    commitment: 'confirmed',
    maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
  }
  return rpc.call('getTransaction', [signature, config])
}

function serialized(
  instructions: TransactionInstruction[],
  recentBlockhash: string,
  signers: Keypair[],
): Buffer | null {
  const payerKey = signers[0]!.publicKey
  const message = new TransactionMessage({ payerKey, recentBlockhash, instructions })
  try {
    const transaction = new VersionedTransaction(message.compileToV0Message())
    transaction.sign(signers)
    const bytes = Buffer.from(transaction.serialize())
    return bytes.length > MAX_BYTES ? null : bytes
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** As the indexer reads them. */
function eventsOf(transaction: RpcTransaction): RegistryEvent[] {
  const rows = emptyRows()
  const signature = bs58.encode(Buffer.alloc(64))
  const info = { signature, slot: transaction.slot, err: null, confirmationStatus: 'confirmed' as const }
  decodeTransaction(rows, info, transaction, 0, programId)
  expectEqual(rows.dead_letters, [], 'everything can be read')
  const positions = rows.ledger_events.map((row) => row.position)
  expectEqual(positions, positions.toSorted(), 'positions are in the order of the ledger')
  if (transaction.meta?.err !== null) return []
  const calls = registryCalls(invocationsOf(transaction), programId)
  const sent = calls.flatMap((call) =>
    call.event === null || !isSentByProgram(call, programId) ? [] : call.event,
  )
  const events = sent.map((bytes) => decodeEvent(bytes)!)
  const names = rows.ledger_events.map((row) => row.name)
  expectEqual(
    names,
    events.map((event) => event.name),
    'every event has a row',
  )
  return events
}

async function states(
  { rpc }: RegistryWorld,
  wallets: readonly AgentWallet[],
): Promise<Map<Pubkey, AgentState>> {
  const keys = wallets.flatMap(({ agent }) => [agent, addresses.stake(agent)])
  const { value } = await rpc.call<{ value: ({ owner: string; data: [string] } | null)[] }>(
    'getMultipleAccounts',
    [keys, { encoding: 'base64', commitment: 'processed' }],
  )
  const decoded = value.map((account) =>
    account?.owner === programId
      ? (decodeAccount(Buffer.from(account.data[0], 'base64'))?.data ?? null)
      : null,
  )
  return new Map(
    wallets.map(({ agent }, i) => [
      agent,
      stateOf(
        decoded[2 * i] as RegistryAccounts['Agent'] | null,
        decoded[2 * i + 1] as RegistryAccounts['Stake'] | null,
      ),
    ]),
  )
}

function expectEqual(actual: unknown, expected: unknown, rule: string): void {
  if (!isDeepStrictEqual(actual, expected)) {
    const text = (value: unknown): string =>
      JSON.stringify(value instanceof Map ? [...value] : value, (_, leaf: unknown) =>
        typeof leaf === 'bigint' ? String(leaf) : leaf,
      )
    throw new Error(`${rule}: ${text(actual)} instead of ${text(expected)}`)
  }
}

export const describeCounts = ({ sent, succeeded, events, truncated }: EventCounts): string =>
  `${sent} transactions sent, ${succeeded} succeeded (${truncated} with truncated logs), ${events} events`
