import { decodeAccount, type RegistryAccounts } from '@agent-registry/program'
import { associatedTokenAccount, type Pubkey } from '@agent-registry/solana'
import { decimalText } from '../domain/decimal-text.ts'
import { type LedgerAccount, tokenAccount } from './ledger-accounts.ts'
import { missingLamports } from './log-reasons.ts'

/** An instruction of the registry that failed. Accounts have the names of the IDL in camelCase. */
export interface FailedCall {
  readonly args: Readonly<Record<string, unknown>>
  readonly keys: ReadonlyMap<string, Pubkey>
  /**
   * What the instruction found: null for an account that does not exist. Not here if that is not
   * known.
   */
  readonly accounts: ReadonlyMap<string, LedgerAccount | null>
  /** The account that the program named for its error. */
  readonly named: string | undefined
  readonly logs: readonly string[]
  readonly program: Pubkey
}

type Reason = (call: FailedCall) => string | undefined

const usdc = (units: bigint): string => `${decimalText(units, 6)} USDC`
const sol = (lamports: bigint): string => `${decimalText(lamports, 9)} SOL`

/**
 * What is missing, by the name of the error. Undefined if the accounts do not explain the error:
 * they can have changed since the simulation.
 */
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

/** Only the account `payer`, or else `owner`, pays the rent of accounts that the program creates. */
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
  try {
    const decoded = decodeAccount(Buffer.from(found.data[0], 'base64'))
    return decoded?.name === type ? (decoded.data as RegistryAccounts[Name]) : undefined
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}
