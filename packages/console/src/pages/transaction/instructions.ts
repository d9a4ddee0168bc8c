import { decodeInstruction, fromBase64 } from '@agent-registry/client/decode'
import { COMPUTE_BUDGET, littleEndian, SET_LIMIT, SET_PRICE } from '../../transaction/decode.ts'
import { argumentsOf } from '../../transaction/words.ts'
import { formatUnits, withCommas, words } from '../../ui/index.ts'
import type { TransactionOnLedgerQuery } from './page.generated.ts'

export type LedgerTransaction = NonNullable<TransactionOnLedgerQuery['ledgerTransaction']>
type Instruction = LedgerTransaction['instructions'][number]

export interface Described {
  /** Its place in the transaction, from 1. */
  readonly number: number
  /** Such as "Register agent". */
  readonly title: string
  /** The name of a known program. */
  readonly program: string | null
  readonly programId: string
  readonly values: readonly (readonly [name: string, value: string])[]
  readonly accounts: readonly (Instruction['accounts'][number] & {
    readonly name: string | null
    readonly number: number
  })[]
}

type Read = (data: Uint8Array) => Pick<Described, 'title' | 'values'> | null

/** Other programs that the relay allows. */
const PROGRAMS: Readonly<Record<string, readonly [name: string, read: Read]>> = {
  [COMPUTE_BUDGET]: [
    'Compute budget',
    (data) => {
      const value = withCommas(littleEndian(data.subarray(1)))
      if (data[0] === SET_LIMIT)
        return { title: 'Set compute unit limit', values: [['Limit', `${value} units`]] }
      if (data[0] !== SET_PRICE) return null
      return { title: 'Set priority fee', values: [['Price', `${value} micro-lamports for each unit`]] }
    },
  ],
  '11111111111111111111111111111111': [
    'System program',
    (data) =>
      data.length === 12 && data[0] === 2
        ? {
            title: 'Transfer SOL',
            values: [['Amount', `${formatUnits(littleEndian(data.subarray(4)), 9)} SOL`]],
          }
        : null,
  ],
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: [
    'Token program',
    (data) => {
      if (data[0] !== 3 && data[0] !== 12) return null
      const amount = littleEndian(data.subarray(1, 9))
      const text = data[0] === 12 ? formatUnits(amount, data[9] ?? 0) : `${amount} base units`
      return { title: 'Transfer tokens', values: [['Amount', text]] }
    },
  ],
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: [
    'Associated token program',
    (data) => (data.length <= 1 ? { title: 'Create token account', values: [] } : null),
  ],
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: [
    'Memo program',
    (data) => ({ title: 'Memo', values: [['Text', new TextDecoder().decode(data)]] }),
  ],
}

/** An instruction in words. Unknown ones keep their data. */
export function describeInstruction(
  { programId, data, accounts }: Omit<Instruction, 'data'> & { readonly data: string | null },
  number: number,
  registry: string,
): Described {
  const bytes = fromBase64(data ?? '')
  const decoded = decodeInstruction({ programId, keys: accounts, data: bytes }, registry)
  const numbered = accounts.map((each, i) => ({
    ...each,
    number: i + 1,
    name: decoded?.accounts[i]?.name ?? null,
  }))
  if (decoded !== null) {
    const values = argumentsOf(decoded)
    const title = words(decoded.name)
    return { number, title, program: 'Registry program', programId, values, accounts: numbered }
  }
  const [program, read] = PROGRAMS[programId] ?? [programId === registry ? 'Registry program' : null]
  const known = read?.(bytes) ?? {
    title: 'Unknown instruction',
    values: [['Data, base64', data ?? 'Too long to show'] as const],
  }
  return { number, ...known, program, programId, accounts: numbered }
}

/** What each account is in this transaction: "Agent", "Owner". */
export function rolesOf(described: readonly Described[], feePayer: string | undefined): Map<string, string> {
  const roles = new Map<string, string>()
  for (const { accounts } of described)
    for (const { name, pubkey } of accounts)
      if (name !== null && name !== 'payer' && !roles.has(pubkey)) roles.set(pubkey, words(name))
  if (feePayer !== undefined && !roles.has(feePayer)) roles.set(feePayer, 'Fee payer')
  return roles
}
