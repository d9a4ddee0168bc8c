import { camelCase, decodeInstruction, programErrorName, registryIdl } from '@agent-registry/program'
import { isStaticWritable, type Message, parseMessage, type Pubkey } from '@agent-registry/solana'
import { decimalText } from '../domain/decimal-text.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import type { RelayContext } from './context.ts'
import { type LedgerAccount, readAccounts } from './ledger-accounts.ts'
import { readRent } from './ledger-state.ts'
import { REGISTRY_REASONS } from './registry-reasons.ts'
import { accountOf, failedInstruction, transactionErrorText } from './transaction-error-text.ts'

type Context = Pick<RelayContext, 'rpc' | 'registryProgram'>

interface Failure {
  readonly err: unknown
  readonly logs: readonly string[]
}

/** Errors of SPL Token and the System program that an instruction of the registry passes on. */
const PASSED_ON: Readonly<Record<number, string>> = { 1: 'InsufficientFunds', 17: 'AccountFrozen' }

/** The accounts that explain errors of the registry. */
const READ = ['agent', 'stake', 'withdrawal', 'ownerToken', 'config']

/**
 * Describes a failed simulation in words. Says what is missing where the accounts show it, which
 * takes at most two calls of the node.
 */
export async function explainFailure(
  { err, logs }: Failure,
  bytes: Uint8Array,
  context: Context,
): Promise<string> {
  const message = parseMessage(bytes)
  const reason = await reasonOf({ err, logs }, message, bytes, context).catch(undefinedIfNoNode)
  return transactionErrorText(err, message, context.registryProgram, logs, reason)
}

function undefinedIfNoNode(error: unknown): undefined {
  if (!(error instanceof LedgerRpcError)) throw error
}

async function reasonOf(
  { err, logs }: Failure,
  message: Message,
  bytes: Uint8Array,
  context: Context,
): Promise<string | undefined> {
  if (err === 'InsufficientFundsForFee') return feeReason(message, bytes, context)
  const poor = (err as { InsufficientFundsForRent?: { account_index?: number } } | null)
    ?.InsufficientFundsForRent
  if (poor !== undefined) return rentReason(message.staticKeys[poor.account_index ?? -1], context)
  const { position, code } = failedInstruction(err) ?? {}
  if (position === undefined || typeof code !== 'number') return undefined
  return registryReason({ position, code, logs }, message, context)
}

const sol = (lamports: number): string => `${decimalText(BigInt(lamports), 9)} SOL`

async function feeReason(
  { staticKeys }: Message,
  bytes: Uint8Array,
  { rpc }: Context,
): Promise<string | undefined> {
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
  { rpc, registryProgram }: Context,
): Promise<string | undefined> {
  const errorName = PASSED_ON[code] ?? programErrorName(code) ?? ''
  const reason = REGISTRY_REASONS[errorName]
  const { programIdIndex, accounts, data } = message.instructions[position] ?? {}
  if (reason === undefined || accounts === undefined) return undefined
  if (message.staticKeys[programIdIndex ?? -1] !== registryProgram) return undefined
  const decoded = decode(data ?? new Uint8Array())
  if (decoded === null) return undefined

  const names = registryIdl.instructions.find(({ name }) => name === decoded.name)?.accounts ?? []
  const keys = new Map(
    names.flatMap(({ name }, i) => {
      const key = message.staticKeys[accounts[i] ?? -1]
      return key === undefined ? [] : [[camelCase(name), key] as const]
    }),
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
  const known = new Map<string, LedgerAccount | null>(wanted.map(({ name }, i) => [name, found[i] ?? null]))
  const named = accountOf(errorName, logs)
  const { args } = decoded
  return reason({
    args,
    keys,
    accounts: known,
    named: named && camelCase(named),
    logs,
    program: registryProgram,
  })
}

/** What earlier instructions may have changed: the ledger does not show what this one found. */
function writtenBefore(position: number, message: Message): Set<Pubkey | undefined> {
  const written = new Set<Pubkey | undefined>()
  for (const { accounts } of message.instructions.slice(0, position))
    for (const index of accounts) if (isStaticWritable(message, index)) written.add(message.staticKeys[index])
  return written
}

function decode(data: Uint8Array): ReturnType<typeof decodeInstruction> {
  try {
    return decodeInstruction(data)
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return null
    throw error
  }
}
