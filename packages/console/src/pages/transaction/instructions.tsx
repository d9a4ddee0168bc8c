import { decodeInstruction, fromBase64 } from '@agent-registry/client/decode'
import { COMPUTE_BUDGET, littleEndian, SET_LIMIT, SET_PRICE } from '../../transaction/decode.ts'
import { Instruction, type InstructionProps } from '../../transaction/instruction.tsx'
import { argumentsOf, REGISTRY_PROGRAM } from '../../transaction/words.ts'
import { classes, formatUnits, Link, plural, Section, withCommas, words } from '../../ui/index.ts'
import type { TransactionOnLedgerQuery } from './page.generated.ts'
import css from './page.module.css'

export type LedgerTransaction = NonNullable<TransactionOnLedgerQuery['ledgerTransaction']>
type OnLedger = LedgerTransaction['instructions'][number]

export interface Described extends InstructionProps {
  /** Its place in the transaction, from 1. */
  readonly number: number
}

interface WithInner extends Described {
  /** Those that it invoked, with their depth below it. */
  readonly inner: readonly (Described & { readonly depth: number })[]
}

/** What the transaction asks the programs to do. */
export function InstructionList({ instructions }: { readonly instructions: readonly WithInner[] }) {
  return (
    <Section title="Instructions" aside={<span className="note">{withCommas(instructions.length)}</span>}>
      <ol className="stack divided">
        {instructions.map((each) => (
          <li key={each.number} className="stack tight">
            <InstructionItem instruction={each} />
            {each.inner.length > 0 && (
              <details>
                <summary>{plural(each.inner.length, 'inner instruction')}</summary>
                <ol className={classes('stack', css.inner)}>
                  {each.inner.map((invoked) => (
                    <li key={invoked.number} style={{ marginInlineStart: `${invoked.depth - 1}rem` }}>
                      <InstructionItem instruction={invoked} />
                    </li>
                  ))}
                </ol>
              </details>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

function InstructionItem({ instruction }: { readonly instruction: Described }) {
  const { number, title, accounts } = instruction
  const agent = accounts.find(({ name }) => name === 'agent')
  return (
    <>
      <Instruction {...instruction} title={`${number}. ${title}`} />
      {agent !== undefined && (
        <p>
          <Link href={`/agents/${agent.pubkey}`}>Open the agent</Link>
        </p>
      )}
    </>
  )
}

interface Reading extends Pick<Described, 'title' | 'values'> {
  /** The names of its accounts, in order. Null: not known. */
  readonly accounts?: readonly (string | null)[]
}
type Read = (data: Uint8Array) => Reading | null

type Known = readonly [
  title: string,
  /** The length of its data. */
  size: number,
  accounts: readonly string[],
  values?: (data: Uint8Array) => Described['values'],
]

/** Reads the instructions of a program by the number at the start of their data. */
const numbered =
  (numberBytes: number, known: Readonly<Record<string, Known>>): Read =>
  (data) => {
    const [title = '', size, accounts, values] =
      known[String(littleEndian(data.subarray(0, numberBytes)))] ?? []
    return size === data.length ? { title, accounts: accounts!, values: values?.(data) ?? [] } : null
  }

const u64 = (data: Uint8Array, at: number): bigint => littleEndian(data.subarray(at, at + 8))
const sol = (data: Uint8Array): string => `${formatUnits(u64(data, 4), 9)} SOL`
const tokens = (data: Uint8Array): string => `${u64(data, 1)} base units`
const unitLimit = (data: Uint8Array): string => `${withCommas(littleEndian(data.subarray(1)))} units`
const unitPrice = (data: Uint8Array): string => `${withCommas(u64(data, 1))} micro-lamports for each unit`
const space = (data: Uint8Array, at: number) => ['Size', `${withCommas(u64(data, at))} bytes`] as const

/** Other programs that the relay allows, or that the registry invokes. */
const PROGRAMS: Readonly<Record<string, readonly [name: string, read: Read]>> = {
  [COMPUTE_BUDGET]: [
    'Compute budget',
    numbered(1, {
      [SET_LIMIT]: ['Set compute unit limit', 5, [], (data) => [['Limit', unitLimit(data)]]],
      [SET_PRICE]: ['Set priority fee', 9, [], (data) => [['Price', unitPrice(data)]]],
    }),
  ],
  '11111111111111111111111111111111': [
    'System program',
    numbered(4, {
      0: ['Create account', 52, ['payer', 'newAccount'], (data) => [['Amount', sol(data)], space(data, 12)]],
      1: ['Assign account to a program', 36, ['account']],
      2: ['Transfer SOL', 12, ['from', 'to'], (data) => [['Amount', sol(data)]]],
      8: ['Allocate account', 12, ['account'], (data) => [space(data, 4)]],
    }),
  ],
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: [
    'Token program',
    numbered(1, {
      3: ['Transfer tokens', 9, ['source', 'destination', 'authority'], (data) => [['Amount', tokens(data)]]],
      9: ['Close token account', 1, ['tokenAccount', 'destination', 'authority']],
      12: [
        'Transfer tokens',
        10,
        ['source', 'mint', 'destination', 'authority'],
        (data) => [['Amount', formatUnits(u64(data, 1), data[9]!)]],
      ],
      18: ['Initialize token account', 33, ['tokenAccount', 'mint']],
    }),
  ],
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: [
    'Associated token program',
    (data) =>
      data.length > 1
        ? null
        : {
            title: 'Create token account',
            values: [],
            accounts: ['payer', 'tokenAccount', 'wallet', 'mint', 'systemProgram', 'tokenProgram'],
          },
  ],
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: [
    'Memo program',
    (data) => ({ title: 'Memo', values: [['Text', new TextDecoder().decode(data)]] }),
  ],
}

/** With these bytes a program made by Anchor calls itself, so that its event is in no log. */
const EVENT_TAG = '228,69,165,46,81,203,154,29'
const ofRegistry: Read = (data) =>
  String([...data.subarray(0, 8)]) === EVENT_TAG
    ? { title: 'Emit an event', values: [], accounts: ['eventAuthority'] }
    : null

/** An instruction in words. Unknown ones keep their data. */
export function describeInstruction(
  { programId, data, accounts }: Omit<OnLedger, 'data'> & { readonly data: string | null },
  number: number,
  registry: string,
): Described {
  const bytes = fromBase64(data ?? '')
  const decoded = decodeInstruction({ programId, keys: accounts, data: bytes }, registry)
  const [program, read] =
    programId === registry ? ([REGISTRY_PROGRAM, ofRegistry] as const) : (PROGRAMS[programId] ?? [null])
  const { title, values, ...known }: Reading =
    decoded === null
      ? ((data === null ? null : read?.(bytes)) ?? {
          title: 'Unknown instruction',
          values: [['Data, base64', data ?? 'Too long to show']],
        })
      : {
          title: words(decoded.name),
          values: argumentsOf(decoded),
          accounts: decoded.accounts.map(({ name }) => name),
        }
  const named = accounts.map((each, i) => ({ ...each, name: known.accounts?.[i] ?? null }))
  return { number, title, program, programId, values, accounts: named }
}

/** What each account is in this transaction: "Agent", "Owner". The registry's names come first. */
export function rolesOf(
  described: readonly Described[],
  registry: string,
  feePayer: string | undefined,
): Map<string, string> {
  const roles = new Map<string, string>()
  const ordered = described.toSorted(
    (a, b) => Number(b.programId === registry) - Number(a.programId === registry),
  )
  for (const { accounts } of ordered)
    for (const { name, pubkey } of accounts)
      if (name !== null && name !== 'payer' && !roles.has(pubkey)) roles.set(pubkey, words(name))
  if (feePayer !== undefined && !roles.has(feePayer)) roles.set(feePayer, 'Fee payer')
  return roles
}
