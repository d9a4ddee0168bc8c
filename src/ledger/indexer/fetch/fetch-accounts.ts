import { decodeAccount } from '@agent-registry/program'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import { projectionOf } from '../../decode/projections.ts'
import type { AccountStates, DeadLetterRow } from '../../decode/rows.ts'

/** getMultipleAccounts takes at most this many. */
const MAX_ACCOUNTS = 100

export interface RpcAccount {
  owner: string
  data: [base64: string, encoding: 'base64']
}

interface AccountsAnswer {
  context: { slot: number }
  value: (RpcAccount | null)[]
}

/**
 * Reads accounts as they stand at `minContextSlot` or later. An account that the program does not own, or has never written, is closed;
 * one that cannot be decoded becomes a dead letter and keeps its last good row.
 */
export async function readAccounts(
  rpc: LedgerRpc,
  pdas: readonly string[],
  options: { programId: string; commitment: string; minContextSlot?: number },
): Promise<AccountStates[]> {
  const groups: string[][] = []
  for (let at = 0; at < pdas.length; at += MAX_ACCOUNTS) groups.push(pdas.slice(at, at + MAX_ACCOUNTS))
  const { programId, commitment, minContextSlot } = options
  const config = {
    encoding: 'base64',
    commitment,
    ...(minContextSlot === undefined ? {} : { minContextSlot }),
  }
  const answers = await rpc.batch<AccountsAnswer>(
    groups.map((group) => ({ method: 'getMultipleAccounts', params: [group, config] })),
  )
  return answers.map((answer, i) => accountStates(groups[i] ?? [], answer, programId))
}

function accountStates(pdas: string[], answer: AccountsAnswer, programId: string): AccountStates {
  const { slot } = answer.context
  const states: AccountStates = { slot, rows: new Map(), closed: [], deadLetters: [] }
  pdas.forEach((pda, i) => addAccount(states, pda, answer.value[i] ?? null, programId))
  return states
}

/** Adds one account, read at `states.slot`. */
export function addAccount(
  states: AccountStates,
  pda: string,
  account: RpcAccount | null,
  programId: string,
): void {
  const { slot } = states
  const bytes = Buffer.from(account?.data[0] ?? '', 'base64')
  if (account === null || account.owner !== programId || isBlank(bytes)) {
    states.closed.push({ pda, slot })
    return
  }
  const letter = (kind: DeadLetterRow['kind'], reason: string): void => {
    const data = account.data[0]
    states.deadLetters.push({ id: `${kind}/${pda}`, kind, signature: null, pda, slot, reason, data })
  }
  try {
    const decoded = decodeAccount(bytes)
    if (decoded === null) return letter('unknown_account', 'no account has this discriminator')
    const projection = projectionOf(decoded)
    const rows = states.rows.get(projection.table) ?? []
    states.rows.set(projection.table, rows)
    rows.push({ pda, slot, ...projection.row(decoded.data) })
  } catch (error) {
    letter('undecodable_account', error instanceof Error ? error.message : String(error))
  }
}

/** Anyone may create an account that the program owns; only the program can write into it. */
function isBlank(data: Buffer): boolean {
  return data.every((byte) => byte === 0)
}
