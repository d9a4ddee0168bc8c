import { setTimeout as delay } from 'node:timers/promises'
import {
  createRegistry,
  generateSigner,
  type KeySigner,
  OutcomeUnknownError,
  type Registry,
  type SendOptions,
  type UnfinishedTransaction,
} from '@agent-registry/client'
import { usdc } from '@agent-registry/client/money'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { createFaultyGateway, type SubmitFault } from './faulty-gateway.ts'

export const OPERATIONS = ['register', 'deposit', 'withdrawal'] as const
export type Operation = (typeof OPERATIONS)[number]
/** `killed`: the process ends at any time after the signature. */
export type Fault = Exclude<SubmitFault, 'none'> | 'killed'

/** What the client says in the end. `not`: the transaction failed, or was not sent. */
type Statement = 'confirmed' | 'not' | 'unknown'

export interface Run {
  readonly operation: Operation
  readonly fault: Fault
  readonly times: number
  readonly delayMs: number
  /** Up to this time after the signature, in milliseconds. */
  readonly killMs: number
  /** An invite code: then the gateway pays for the registration. */
  readonly inviteCode?: string
  /** A client address for the limits of sponsorship. */
  readonly client: string
  readonly timeouts: { readonly timeoutMs?: number; readonly confirmTimeoutMs?: number }
}

export interface Result extends Run {
  /** In order. A user tries again after `not`, and resumes after `unknown`. */
  readonly statements: Statement[]
  readonly reasons: readonly string[]
  /** Successful transactions of the run on the ledger. */
  readonly executions: number
}

export interface World {
  readonly url: string
  readonly rpc: LedgerRpc
}

/** Sends one transaction. The first attempt goes through the faults. `reasons`: texts of errors. */
interface User {
  readonly reasons: readonly string[]
  send(url: string, run: Run): Promise<Statement>
  resume(url: string): Promise<Statement>
}

const AMOUNT = '10'
const CARD = '{"name":"Runner"}'
const MAX_STEPS = 4

/** Sends a transaction with a fault, as a careful user does it, and counts what landed. */
export async function play(world: World, run: Run): Promise<Result> {
  const wallet = await generateSigner()
  await prepareWallet(world, run, wallet)
  const before = await successes(world.rpc, wallet.address)
  const user = packageUser(wallet)
  const { fault, times, delayMs, client } = run
  const hit = fault === 'killed' ? 'none' : fault
  const proxy = await createFaultyGateway(world.url, { fault: hit, times, delayMs, client })
  const faultless = await createFaultyGateway(world.url, { fault: 'none', client })
  const statements = [await user.send(proxy.url, run)]
  while (statements.at(-1) !== 'confirmed' && statements.length < MAX_STEPS)
    statements.push(
      statements.at(-1) === 'unknown'
        ? await user.resume(faultless.url)
        : await user.send(faultless.url, { ...run, fault: '502', timeouts: {} }),
    )
  // Requests that are still delayed arrive now.
  await Promise.all([proxy.close(), faultless.close()])
  const { reasons } = user
  return { ...run, statements, reasons, executions: (await successes(world.rpc, wallet.address)) - before }
}

async function prepareWallet({ url, rpc }: World, { operation, inviteCode }: Run, wallet: KeySigner) {
  if (inviteCode !== undefined) return
  await confirmed(rpc, await rpc.call('requestAirdrop', [wallet.address, 1_000_000_000]))
  if (operation === 'register') return
  await confirmed(rpc, await rpc.call('localnet_mintUsdc', [wallet.address, Number(usdc('1000'))]))
  const registry = createRegistry(url)
  await perform(registry, 'register', wallet)
  if (operation === 'withdrawal') await registry.stakes.deposit(usdc('100'), wallet)
}

async function confirmed(rpc: LedgerRpc, signature: string): Promise<void> {
  for (;;) {
    const { value } = await rpc.call<{ value: ({ confirmationStatus: string } | null)[] }>(
      'getSignatureStatuses',
      [[signature]],
    )
    const [status] = value
    if (status && status.confirmationStatus !== 'processed') return
    await delay(100)
  }
}

async function successes(rpc: LedgerRpc, wallet: string): Promise<number> {
  const listed = await rpc.call<{ err: unknown }[]>('getSignaturesForAddress', [
    wallet,
    { commitment: 'confirmed', limit: 100 },
  ])
  return listed.filter(({ err }) => err === null).length
}

function perform(
  registry: Registry,
  operation: Operation,
  wallet: KeySigner,
  options: SendOptions = {},
  inviteCode?: string,
): Promise<unknown> {
  const cardUrl = 'https://runner.example.org/card.json'
  const agent = { name: 'Runner', category: 'research', cardUrl, card: CARD } as const
  if (operation === 'register')
    return registry.agents.register({ ...agent, ...(inviteCode && { inviteCode }) }, wallet, options)
  return operation === 'deposit'
    ? registry.stakes.deposit(usdc(AMOUNT), wallet, options)
    : registry.stakes.requestWithdrawal(usdc(AMOUNT), wallet, options)
}

/** A program that uses the client package and stores what `onSigned` gives. */
function packageUser(wallet: KeySigner): User {
  let stored = ''
  const reasons: string[] = []
  const stated = async (work: Promise<unknown>): Promise<Statement> =>
    work.then(
      () => 'confirmed' as const,
      (error: unknown) => {
        reasons.push(String(error))
        return error instanceof OutcomeUnknownError ? 'unknown' : 'not'
      },
    )
  return {
    reasons,
    send: (url, { operation, fault, killMs, inviteCode, timeouts }) => {
      const killed = new AbortController()
      const onSigned = (transaction: UnfinishedTransaction): void => {
        stored = JSON.stringify(transaction)
        if (fault === 'killed') setTimeout(() => killed.abort(new Error('killed')), killMs)
      }
      const options = { signal: killed.signal, onSigned }
      return stated(perform(createRegistry(url, timeouts), operation, wallet, options, inviteCode))
    },
    resume: (url) =>
      stated(createRegistry(url).transactions.resume(JSON.parse(stored) as UnfinishedTransaction)),
  }
}

export function table(results: readonly Result[]): string {
  const groups = Map.groupBy(results, ({ operation, fault }) => `${operation.padEnd(10)}  ${fault}`)
  const rows = [...groups].map(([name, runs]) => {
    const count = (holds: (run: Result) => boolean): string => String(runs.filter(holds).length).padStart(9)
    return [
      name.padEnd(30),
      count(() => true),
      count(({ statements }) => statements[0] === 'unknown'),
      count(({ statements }) => statements.includes('not')),
      count(({ executions }) => executions > 1),
      count(isWrong),
    ].join(' ')
  })
  const head = ['runs', 'unknown', 'not', 'twice', 'wrong'].map((each) => each.padStart(9)).join(' ')
  return [`${'operation   fault'.padEnd(30)} ${head}`, ...rows].join('\n')
}

/** Whether something that the client said is not true, or the transaction never landed. */
export function isWrong({ statements, executions }: Result): boolean {
  const said = statements.filter((each) => each === 'confirmed').length
  return executions !== said || statements.at(-1) !== 'confirmed'
}
