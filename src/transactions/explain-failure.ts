import {
  camelCase,
  decodeAccount,
  decodeInstruction,
  programErrorName,
  type RegistryAccounts,
  registryIdl,
} from '@agent-registry/program'
import {
  associatedTokenAccount,
  isStaticWritable,
  type Message,
  parseMessage,
  type Pubkey,
} from '@agent-registry/solana'
import { decimalText } from '../domain/decimal-text.ts'
import { nullIfMalformed } from './check-request.ts'
import type { TransactionsContext } from './context.ts'
import {
  type LedgerAccount,
  nullIfLedgerError,
  readAccounts,
  readRent,
  tokenAccount,
} from './ledger-state.ts'
import { accountOf, failedInstruction, missingLamports, transactionErrorText } from './error-text.ts'

type Context = Pick<TransactionsContext, 'rpc' | 'registryProgram'>

interface Failure {
  readonly err: unknown
  readonly logs: readonly string[]
}

/** Errors of SPL Token and the System program that an instruction of the registry passes on. */
const PASSED_ON: Readonly<Record<number, string>> = { 1: 'InsufficientFunds', 17: 'AccountFrozen' }

/** The accounts that explain errors of the registry. */
const READ = ['agent', 'stake', 'withdrawal', 'ownerToken', 'config']

/** Describes a failed simulation, and what is missing if accounts show it: at most two calls. */
export async function explainFailure({ err, logs }: Failure, bytes: Uint8Array, context: Context) {
  const message = parseMessage(bytes)
  const reason = await reasonOf({ err, logs }, message, bytes, context).catch(nullIfLedgerError)
  return transactionErrorText(err, message, context.registryProgram, logs, reason ?? undefined)
}

async function reasonOf({ err, logs }: Failure, message: Message, bytes: Uint8Array, context: Context) {
  if (err === 'InsufficientFundsForFee') return feeReason(message, bytes, context)
  const poor = (err as { InsufficientFundsForRent?: { account_index?: number } } | null)
    ?.InsufficientFundsForRent
  if (poor !== undefined) return rentReason(message.staticKeys[poor.account_index ?? -1], context)
  const { position, code } = failedInstruction(err) ?? {}
  if (position === undefined || typeof code !== 'number') return undefined
  return registryReason({ position, code, logs }, message, context)
}

const sol = (lamports: number | bigint): string => `${decimalText(BigInt(lamports), 9)} SOL`

async function feeReason({ staticKeys }: Message, bytes: Uint8Array, { rpc }: Context) {
  const payer = staticKeys[0] as Pubkey
  const parameters = [Buffer.from(bytes).toString('base64'), { commitment: 'confirmed' }]
  const [[account], { value: fee }] = await Promise.all([
    readAccounts(rpc, [payer]),
    rpc.call<{ value: number | null }>('getFeeForMessage', parameters),
  ])
  const has = account?.lamports ?? 0
  if (fee === null || has >= fee) return undefined
  return `The fee payer ${payer} has ${sol(has)}, and the network fee is ${sol(fee)}`
}

async function rentReason(key: Pubkey | undefined, { rpc }: Context): Promise<string | undefined> {
  if (key === undefined) return undefined
  const [account] = await readAccounts(rpc, [key])
  if (account?.space === undefined) return undefined
  const rent = await readRent(rpc, account.space)
  const numbers = `It has ${sol(account.lamports)} now, and must keep ${sol(rent)} or nothing`
  return `The transaction would leave too little SOL in ${key} for its rent. ${numbers}`
}

async function registryReason(
  { position, code, logs }: { position: number; code: number; logs: readonly string[] },
  message: Message,
  { rpc, registryProgram: program }: Context,
): Promise<string | undefined> {
  const errorName = PASSED_ON[code] ?? programErrorName(code) ?? ''
  const reason = REGISTRY_REASONS[errorName]
  const failed = message.instructions[position]
  if (reason === undefined || failed === undefined) return undefined
  if (message.staticKeys[failed.programIdIndex] !== program) return undefined
  const decoded = nullIfMalformed(() => decodeInstruction(failed.data))
  if (decoded === null) return undefined

  const names = registryIdl.instructions.find(({ name }) => name === decoded.name)?.accounts ?? []
  const keys = new Map(
    names.map(({ name }, i) => [camelCase(name), message.staticKeys[failed.accounts[i] ?? -1]] as const),
  )
  const written = writtenBefore(position, message)
  const wanted = READ.flatMap((name) => {
    const key = keys.get(name)
    return key === undefined || written.has(key) ? [] : [{ name, key }]
  })
  const found = await readAccounts(
    rpc,
    wanted.map(({ key }) => key),
  )
  const accounts = new Map(wanted.map(({ name }, i) => [name, found[i] ?? null] as const))
  const account = accountOf(errorName, logs)
  const named = account && camelCase(account)
  return reason({ args: decoded.args, keys, accounts, named, logs, program })
}

/** What earlier instructions may have changed: the ledger does not show what this one found. */
function writtenBefore(position: number, message: Message): Set<Pubkey | undefined> {
  const written = new Set<Pubkey | undefined>()
  for (const { accounts } of message.instructions.slice(0, position))
    for (const index of accounts) if (isStaticWritable(message, index)) written.add(message.staticKeys[index])
  return written
}

/** An instruction of the registry that failed. Accounts have the names of the IDL in camelCase. */
export interface FailedCall {
  readonly args: Readonly<Record<string, unknown>>
  readonly keys: ReadonlyMap<string, Pubkey | undefined>
  /** What the instruction found: null if it does not exist. Absent if that is not known. */
  readonly accounts: ReadonlyMap<string, LedgerAccount | null>
  /** The account that the program named for its error. */
  readonly named: string | undefined
  readonly logs: readonly string[]
  readonly program: Pubkey
}

type Reason = (call: FailedCall) => string | undefined

const usdc = (units: bigint): string => `${decimalText(units, 6)} USDC`

/** What is missing, by error. Undefined if accounts, which can have changed, do not say. */
export const REGISTRY_REASONS: Readonly<Record<string, Reason>> = {
  InsufficientFunds: (call) => tooFewLamports(call) ?? tooFewTokens(call),
  AccountFrozen: (call) =>
    tokenAccount(call.accounts.get('ownerToken'))?.isFrozen === true
      ? `The USDC account ${call.keys.get('ownerToken')} is frozen.`
      : undefined,
  InvalidAccountOwner: (call) => (call.named === undefined ? wrongTokenAccount(call) : missingAccount(call)),
  InvalidTokenAccount: (call) => wrongTokenAccount(call),
  AgentNotActive: (call) => {
    const status = read(call, 'agent', 'Agent')?.status
    return status === undefined || status === 'active' ? undefined : `The agent is ${status}.`
  },
  AlreadyInitialized: (call) =>
    read(call, 'agent', 'Agent') === undefined
      ? undefined
      : `The wallet ${call.keys.get('owner')} has an agent already: ${call.keys.get('agent')}.`,
  InsufficientStake: (call) => {
    const stake = read(call, 'stake', 'Stake')
    const amount = amountOf(call)
    if (stake === undefined || amount === undefined) return undefined
    const { depositedAmount, lockedAmount, pendingWithdrawal } = stake
    const available = depositedAmount - lockedAmount - pendingWithdrawal
    if (amount <= available) return undefined
    const parts = `${usdc(depositedAmount)} deposited, ${usdc(lockedAmount)} locked`
    return `The stake has ${usdc(available)} to withdraw (${parts}), and ${usdc(amount)} were requested.`
  },
  WithdrawalPending: (call) => {
    const amount = read(call, 'withdrawal', 'WithdrawalRequest')?.amount
    const from = payableFrom(call)
    if (amount === undefined || from === undefined) return undefined
    return `A withdrawal of ${usdc(amount)} is pending. Complete it from ${from} on, or cancel it.`
  },
  CooldownNotOver: (call) => {
    const from = payableFrom(call)
    return from && `The cooldown is not over. The withdrawal can be completed from ${from} on.`
  },
  StakeNotEmpty: (call) => {
    const stake = read(call, 'stake', 'Stake')
    return stake && `The stake is not empty: ${usdc(stake.depositedAmount)} are deposited.`
  },
}

const MISSING: Readonly<Record<string, string>> = {
  agent: 'There is no agent at this address',
  stake: 'The agent has no stake, because nothing was deposited',
  withdrawal: 'No withdrawal is pending',
}

function missingAccount({ named = '', keys, accounts, program }: FailedCall): string | undefined {
  const account = accounts.get(named)
  const words = MISSING[named]
  if (account === undefined || account?.owner === program || words === undefined) return undefined
  return `${words}: the account ${keys.get(named)} does not exist.`
}

/** Only the account `payer`, or else `owner`, pays the rent of new accounts. */
function tooFewLamports({ keys, logs }: FailedCall): string | undefined {
  const lamports = missingLamports(logs)
  if (lamports === undefined) return undefined
  const payer = keys.get('payer') ?? keys.get('owner')
  return `The wallet ${payer} has ${sol(lamports.has)} left, and a new account needs ${sol(lamports.needs)} of rent.`
}

function tooFewTokens(call: FailedCall): string | undefined {
  const token = tokenAccount(call.accounts.get('ownerToken'))
  const amount = amountOf(call)
  if (token === null || amount === undefined || amount <= token.amount) return undefined
  return `The wallet ${token.owner} has ${usdc(token.amount)}, and ${usdc(amount)} are needed.`
}

function wrongTokenAccount(call: FailedCall): string | undefined {
  const [key, owner] = [call.keys.get('ownerToken'), call.keys.get('owner')]
  const account = call.accounts.get('ownerToken')
  if (key === undefined || owner === undefined || account === undefined) return undefined
  const mint = read(call, 'config', 'RegistryConfig')?.usdcMint
  if (account === null)
    return mint !== undefined && key === associatedTokenAccount(owner, mint)
      ? `The wallet ${owner} has no USDC account: ${key} does not exist.`
      : `The token account ${key} does not exist.`
  const token = tokenAccount(account)
  if (token === null) return `The account ${key} is not an account of the SPL Token program.`
  if (mint !== undefined && token.mint !== mint)
    return `The token account ${key} is for the mint ${token.mint}. The registry uses USDC, ${mint}.`
  return token.owner === owner
    ? undefined
    : `The token account ${key} belongs to ${token.owner}, not to the wallet ${owner}.`
}

/** ISO 8601. */
function payableFrom(call: FailedCall): string | undefined {
  const requestedAt = read(call, 'withdrawal', 'WithdrawalRequest')?.requestedAt
  const cooldown = read(call, 'config', 'RegistryConfig')?.cooldownSeconds
  if (requestedAt === undefined || cooldown === undefined) return undefined
  return new Date(Number(requestedAt + cooldown) * 1_000).toISOString().replace('.000Z', 'Z')
}

function amountOf({ args }: FailedCall): bigint | undefined {
  return typeof args.amount === 'bigint' ? args.amount : undefined
}

/** The data of an account of the registry. Undefined if it is not known or is no such account. */
function read<Name extends keyof RegistryAccounts>(
  { accounts, program }: FailedCall,
  account: string,
  type: Name,
): RegistryAccounts[Name] | undefined {
  const found = accounts.get(account)
  if (found?.owner !== program) return undefined
  const decoded = nullIfMalformed(() => decodeAccount(Buffer.from(found.data[0], 'base64')))
  return decoded?.name === type ? (decoded.data as RegistryAccounts[Name]) : undefined
}
