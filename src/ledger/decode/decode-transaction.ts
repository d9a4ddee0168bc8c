import { hash } from 'node:crypto'
import { decodeBase58, encodeBase58, pubkey } from '@agent-registry/solana'
import {
  decodeEvent,
  eventBytes,
  registryAddresses,
  type RegistryEvent,
  registryIdl,
} from '@agent-registry/program'
import type { DeadLetterKind } from '../../domain/dead-letters.ts'
import { historyEntry } from './history-entry.ts'
import { deadLetter, type IndexedRow, type IndexedRows } from './rows.ts'
import {
  invocationsOf,
  type OuterInvocation,
  type RpcTransaction,
  type SignatureInfo,
} from './rpc-transaction.ts'
import { isoFromSeconds, jsonbValue, jsonText, databaseText } from './values.ts'
import { webhookEvents } from './webhook-events.ts'

type TransactionRow = IndexedRow<'ledger_transactions'>

/** Adds a transaction's rows. Never throws: what cannot be read becomes a dead letter. */
export function decodeTransaction(
  rows: IndexedRows,
  { signature, confirmationStatus }: SignatureInfo,
  transaction: RpcTransaction,
  transactionIndex: number,
  programId: string,
): void {
  const { slot, meta } = transaction
  if (meta === null || meta.err !== null) return
  const row: TransactionRow = {
    signature,
    slot,
    transaction_index: transactionIndex,
    accounts: [],
    finality: confirmationStatus === 'finalized' ? 'finalized' : 'confirmed',
  }
  const addDeadLetter = (kind: DeadLetterKind, reason: string, location = '', data?: Uint8Array): void => {
    const base64 = data === undefined ? null : Buffer.from(data).toString('base64')
    const content = { signature, slot, reason, data: base64 }
    rows.dead_letters.push(deadLetter(kind, `${signature}/${location}`, content))
  }
  try {
    const calls = registryCalls(invocationsOf(transaction), programId)
    row.accounts = [...touchedAccounts(calls)].sort()
    for (const call of calls) {
      if (call.event === null) continue
      const location = locationOf(call)
      try {
        if (!isSentByProgram(call, programId)) throw new RangeError('the event authority did not sign')
        const event = decodeEvent(call.event)
        if (event === null)
          addDeadLetter('unknown_event', 'no event has this discriminator', location, call.event)
        else addEvent(rows, row, call, event)
      } catch (error) {
        addDeadLetter('undecodable_event', reasonOf(error), location, call.event)
      }
    }
  } catch (error) {
    addDeadLetter('unreadable_transaction', reasonOf(error))
  }
  rows.ledger_transactions.push(row)
}

function addEvent(
  rows: IndexedRows,
  { signature, slot, transaction_index, finality }: TransactionRow,
  call: RegistryCall,
  event: RegistryEvent,
): void {
  const { agent: agent_pda, owner, timestamp } = event.data
  const id = eventId(`${signature}/${locationOf(call)}`)
  const position = positionOf(slot, transaction_index, call)
  const occurred_at = isoFromSeconds(timestamp)
  const messages = webhookEvents(event).map(({ type, data }) => {
    const messageId = eventId(`${signature}/${locationOf(call)}/${type}`)
    const body = jsonText({ id: messageId, type, pda: agent_pda, slot, timestamp: occurred_at, data })
    return { id: messageId, event_id: id, type, agent_pda, slot, body, occurred_at }
  })
  const history = historyEntry(event)
  const { name } = event
  const data = jsonbValue(event.data)
  // All values are computed before the first push, so an error leaves no part of the event.
  rows.ledger_events.push({
    id,
    position,
    signature,
    slot,
    name,
    agent_pda,
    owner,
    data,
    finality,
    occurred_at,
  })
  rows.outbox_events.push(...messages)
  if (history !== null)
    rows.agent_history.push({ event_id: id, position, agent_pda, ...history, occurred_at })
}

function reasonOf(error: unknown): string {
  return databaseText(error instanceof Error ? error.message : String(error))
}

const locationOf = ({ outer, inner }: RegistryCall): string => `${outer}/${inner}`

/**
 * The id of an event, or of one of its webhook events. It depends only on the location in the
 * ledger, so it is the same after forks, replays and rebuilds.
 */
function eventId(location: string): string {
  // As text, which takes half the time of a Buffer.
  const digest = hash('sha256', location, 'binary').slice(0, 16)
  return `evt_${encodeBase58(Buffer.from(digest, 'latin1'))}`
}

/**
 * Fixed width, so that text order is ledger order: slot(20)-transaction(6)-outer(4)-inner(4).
 */
function positionOf(slot: number, transactionIndex: number, { outer, inner }: RegistryCall): string {
  const digits = (value: number, width: number): string => String(value).padStart(width, '0')
  const location = [outer, inner].map((each) => digits(each, 4))
  return [digits(slot, 20), digits(transactionIndex, 6), ...location].join('-')
}

/** An instruction of the registry program in a transaction. */
interface RegistryCall {
  /** Index of the outer instruction. */
  outer: number
  /** 0 for the outer instruction itself, n for the n-th instruction invoked under it. */
  inner: number
  accounts: string[]
  data: Uint8Array
  /** The event, if the instruction carries one. */
  event: Uint8Array | null
}

/**
 * More than instructions and events of the registry have. Decoding base-58 takes quadratic time,
 * and the data of an instruction may have 10 KiB.
 */
const MAX_DATA_CHARACTERS = 4_096

/** The instructions of the program in order of execution. Throws RangeError for malformed data. */
export function registryCalls(invocations: readonly OuterInvocation[], programId: string): RegistryCall[] {
  return invocations.flatMap((outer, index) =>
    [outer, ...outer.inner].flatMap((invocation, inner) => {
      if (invocation.programId !== programId) return []
      const data = invocation.data.length > MAX_DATA_CHARACTERS ? null : decodeBase58(invocation.data)
      if (data === null) throw new RangeError('the data of an instruction is too long, or not base-58')
      return [{ outer: index, inner, accounts: invocation.accounts, data, event: eventBytes(data) }]
    }),
  )
}

let known = { programId: '', authority: '' }

/** Whether the program itself sent the event: only the program can sign for its event authority. */
export function isSentByProgram({ inner, accounts }: RegistryCall, programId: string): boolean {
  if (known.programId !== programId)
    known = { programId, authority: registryAddresses(pubkey(programId)).eventAuthority() }
  return inner > 0 && accounts[0] === known.authority
}

/** The names of the instruction accounts that hold registry state. */
const STATE_ACCOUNTS = new Set(['config', 'agent', 'stake', 'withdrawal', 'reporter', 'deactivation_record'])

/** By instruction discriminator in hex. */
const writtenPositions = new Map(
  registryIdl.instructions.map((instruction) => [
    Buffer.from(instruction.discriminator).toString('hex'),
    instruction.accounts.flatMap((meta, position) =>
      STATE_ACCOUNTS.has(meta.name) && meta.writable === true ? [position] : [],
    ),
  ]),
)

/**
 * The registry accounts that these instructions may have changed. Of an unknown instruction: all
 * its accounts.
 */
function touchedAccounts(calls: readonly RegistryCall[]): Set<string> {
  const touched = new Set<string>()
  for (const { accounts, data, event } of calls) {
    if (event !== null) continue
    const discriminator = Buffer.from(data.subarray(0, 8)).toString('hex')
    const positions = writtenPositions.get(discriminator) ?? accounts.keys()
    for (const position of positions) {
      const account = accounts[position]
      if (account !== undefined) touched.add(account)
    }
  }
  return touched
}
