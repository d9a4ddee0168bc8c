import {
  camelCase,
  decodeAccount,
  type RegistryAccount,
  type RegistryAccounts,
  registryIdl,
} from '@agent-registry/program'
import type { DeadLetterKind } from '../../domain/dead-letters.ts'
import { deadLetter, type DeadLetterRow } from './rows.ts'
import type { Database } from '../../db/database.ts'
import { databaseValue, isoFromSeconds } from './values.ts'

/** An account of `getMultipleAccounts`. */
export interface RpcAccount {
  owner: string
  data: [base64: string, encoding: 'base64']
}

/** Accounts as they were at one slot. */
export interface AccountSnapshot {
  slot: number
  rows: Map<AccountTable, AccountRow[]>
  closed: { pda: string; slot: number }[]
  /** Accounts that could not be decoded. */
  deadLetters: DeadLetterRow[]
}

export const emptySnapshot = (slot: number): AccountSnapshot => ({
  slot,
  rows: new Map(),
  closed: [],
  deadLetters: [],
})

/** Every account of the snapshot, also those that could not be decoded. */
export function pdasOf({ rows, closed, deadLetters }: AccountSnapshot): string[] {
  const open = [...rows.values()].flatMap((each) => each.map(({ pda }) => pda))
  return [...open, ...closed.map(({ pda }) => pda), ...deadLetters.flatMap(({ pda }) => pda ?? [])]
}

/**
 * Adds one account. It counts as closed if the program does not own it or has never written to it.
 * If it cannot be decoded, it becomes a dead letter and its stored row stays.
 */
export function addAccount(
  snapshot: AccountSnapshot,
  pda: string,
  account: RpcAccount | null,
  programId: string,
): void {
  const { slot } = snapshot
  const bytes = Buffer.from(account?.data[0] ?? '', 'base64')
  // Anyone may create an account that the program owns; only the program can write to it.
  if (account === null || account.owner !== programId || bytes.every((byte) => byte === 0)) {
    snapshot.closed.push({ pda, slot })
    return
  }
  const addDeadLetter = (kind: DeadLetterKind, reason: string): void => {
    snapshot.deadLetters.push(deadLetter(kind, pda, { pda, slot, reason, data: account.data[0] }))
  }
  try {
    const decoded = decodeAccount(bytes)
    if (decoded === null) return addDeadLetter('unknown_account', 'no account has this discriminator')
    const table = TABLES[decoded.name]
    const row = { pda, slot, ...columnsOf(decoded) }
    const rows = snapshot.rows.get(table) ?? []
    snapshot.rows.set(table, rows)
    rows.push(row)
  } catch (error) {
    addDeadLetter('undecodable_account', error instanceof Error ? error.message : String(error))
  }
}

const TABLES = {
  Agent: 'agents',
  Stake: 'stakes',
  RegistryConfig: 'registry_config',
  WithdrawalRequest: 'withdrawal_requests',
  ReputationReporter: 'reputation_reporters',
  DeactivationRecord: 'deactivation_records',
} as const satisfies Record<keyof RegistryAccounts, keyof Database>

export type AccountTable = (typeof TABLES)[keyof typeof TABLES]
/** Numeric columns as text, times as ISO text. */
export type AccountRow = { pda: string; slot: number } & Record<string, unknown>

/** One table per account type of the registry. */
export const ACCOUNT_TABLES: readonly AccountTable[] = Object.values(TABLES)

/** Columns that have another name than the field of the account. */
const RENAMED: Readonly<Record<string, string>> = { agent: 'agent_pda', stake: 'stake_pda' }

interface Column {
  readonly column: string
  readonly member: string
  /** Throws RangeError if the column cannot hold the value. */
  readonly read: (value: never) => unknown
}

function columnOf({ name, type }: { name: string; type: unknown }): Column {
  const read = type === 'i64' ? isoFromSeconds : databaseValue
  const column = RENAMED[name] ?? name
  return { column, member: camelCase(name), read: name === 'cooldown_seconds' ? Number : read }
}

/** The columns of each type of account, without `pda` and `slot`. */
const COLUMNS = new Map(
  registryIdl.types.map(({ name, type }) => [name, type.kind === 'struct' ? type.fields.map(columnOf) : []]),
)

function columnsOf({ name, data }: RegistryAccount): Record<string, unknown> {
  const columns: Record<string, unknown> = {}
  for (const { column, member, read } of COLUMNS.get(name)!)
    columns[column] = read((data as Record<string, unknown>)[member] as never)
  return columns
}
