import { decodeAccount } from '@agent-registry/program'
import type { DeadLetterKind } from '../../domain/dead-letters.ts'
import { type AccountRow, type AccountTable, toColumns } from './account-rows.ts'
import { deadLetter, type DeadLetterRow } from './rows.ts'

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
  if (account === null || account.owner !== programId || isBlank(bytes)) {
    snapshot.closed.push({ pda, slot })
    return
  }
  const addDeadLetter = (kind: DeadLetterKind, reason: string): void => {
    snapshot.deadLetters.push(deadLetter(kind, pda, { pda, slot, reason, data: account.data[0] }))
  }
  try {
    const decoded = decodeAccount(bytes)
    if (decoded === null) return addDeadLetter('unknown_account', 'no account has this discriminator')
    const { table, columns } = toColumns(decoded)
    const rows = snapshot.rows.get(table) ?? []
    snapshot.rows.set(table, rows)
    rows.push({ pda, slot, ...columns })
  } catch (error) {
    addDeadLetter('undecodable_account', error instanceof Error ? error.message : String(error))
  }
}

/** Anyone may create an account that the program owns; only the program can write to it. */
function isBlank(data: Buffer): boolean {
  return data.every((byte) => byte === 0)
}
