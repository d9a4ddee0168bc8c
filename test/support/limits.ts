import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { DomainError } from '../../src/domain/errors.ts'

/** A row of docs/reference/limits.md. */
export interface Row {
  readonly section: string
  readonly name: string
  readonly value: string
  /** The last column: what happens beyond the limit. */
  readonly exceeded: string
}

/** Checks the limit at `n`, a number of the row. Times are in milliseconds. */
export type Check = (n: number, row: Row) => Promise<void>

/** What happens for a number. Nothing is `ok`, an error its status and code. */
type Probe = (n: number) => unknown

const PAGE = new URL('../../docs/reference/limits.md', import.meta.url)

export function readRows(): Row[] {
  const [, ...sections] = readFileSync(PAGE, 'utf8').split('\n## ')
  return sections.flatMap((text) => {
    const [section = '', ...lines] = text.split('\n')
    const cells = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2, -2).split(' | '))
    // The first two lines are the header.
    return cells
      .slice(2)
      .map(([name = '', value = '', exceeded = '']) => ({ section, name, value, exceeded }))
  })
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** The numbers of a value, in order. */
export const numbersOf = ({ value }: Row): number[] =>
  [
    ...value
      .replaceAll(/\(`.*?`\)|`.*?`/g, '')
      .matchAll(/(?<![\w,])(\d[\d,]*)(?: +(ms|s|minute|hour|day)s?\b)?/g),
  ].map(([, digits = '', unit = 'ms']) => Number(digits.replaceAll(',', '')) * UNITS[unit]!)

const errorOf = ({ exceeded }: Row): unknown => /\b\d{3} [A-Z_]+/.exec(exceeded)?.[0]

export async function outcomeOf(probe: () => unknown): Promise<unknown> {
  try {
    return (await probe()) ?? 'ok'
  } catch (error) {
    if (error instanceof DomainError) return `${error.status} ${error.code}`
    throw error
  }
}

interface Outcomes {
  /** Default: ok. */
  readonly accepted?: unknown
  /** Default: the error of the row. */
  readonly refused?: unknown
  /** To the next number. Default: 1. */
  readonly step?: number
}

const edge =
  (inside: number, outside: number) =>
  (probe: Probe, { accepted = 'ok', refused, step = 1 }: Outcomes = {}): Check =>
  async (n, row) => {
    expect(await outcomeOf(() => probe(n + inside * step)), 'at the limit').toEqual(accepted)
    const beyond = await outcomeOf(() => probe(n + outside * step))
    expect(beyond, 'beyond the limit').toEqual(refused ?? errorOf(row))
  }

export const most = edge(0, 1)
export const least = edge(0, -1)
export const below = edge(-1, 0)
/** The service has exactly this number. */
export const is =
  (read: () => unknown): Check =>
  async (n) =>
    expect(await read()).toBe(n)
/** A greater number is reduced to the limit, a smaller one by `raised`. */
export const lowered =
  (probe: Probe): Check =>
  async (n) =>
    expect([await probe(n), await probe(n + 1)]).toEqual([n, n])
export const raised =
  (probe: Probe): Check =>
  async (n) =>
    expect([await probe(n), await probe(n - 1)]).toEqual([n, n])

/** A test elsewhere checks both sides of the limit. Its file has this title. */
export const covered =
  (file: string, title: string): Check =>
  async () => {
    const text = readFileSync(new URL(`../${file}.test.ts`, import.meta.url), 'utf8')
    expect(text).toContain(title)
  }

interface Response {
  readonly statusCode: number
  json(): unknown
}
interface Failure {
  readonly details?: { readonly code: string }
  readonly errors?: readonly { readonly extensions: { readonly status: number; readonly code: string } }[]
}

/** The outcome of a response of REST, GraphQL or MCP. */
export function answerOf(response: Response): string {
  const { errors: [first] = [], details } = response.json() as Failure
  if (first !== undefined) return `${first.extensions.status} ${first.extensions.code}`
  return response.statusCode < 400 ? 'ok' : `${response.statusCode} ${details?.code}`
}

export const list = <Value>(count: number, make: (i: number) => Value): Value[] =>
  Array.from({ length: count }, (_, i) => make(i))
export const pad = (text: string, length: number): string => text + ' '.repeat(length - text.length)
const join = (count: number, make: (i: number) => string): string => list(count, make).join(' ')
const statuses = (count: number, name = 'f'): string => join(count, (i) => `${name}${i}: status`)

/** Documents with exactly `n` of what a limit counts. */
export const DOCUMENTS: Readonly<Record<string, (n: number) => string>> = {
  characters: (n) => pad('{ __typename }', n),
  tokens: (n) => {
    const rest = (n - 5) % 3
    return `{ health { ${statuses((n - 5 - rest) / 3)} ${['', 'status', 'status timestamp'][rest]} } }`
  },
  depth: (n) => {
    const path = ['agents', 'agents', ...list(n - 3, (i) => (i % 2 === 0 ? 'stake' : 'agent'))]
    return `{ ${path.join(' { ')} { pda ${'} '.repeat(n)}`
  },
  rootFields: (n) => `{ ${join(n, (i) => `a${i}: health { status }`)} }`,
  fields: (n) => {
    const each = Math.floor(n / 5) - 1
    const [first, ...others] = list(5, (i) => `a${i}: health { ...F`)
    return `{ ${first} ${statuses(n - 5 * (each + 1), 'g')} } ${others.join(' } ')} } } fragment F on Health { ${statuses(each)} }`
  },
  documentFields: (n) => {
    const each = Math.floor((n - 10) / 11)
    const roots = (more: string) => `a: health { ...F ${more} } ${join(4, (i) => `a${i}: health { ...F }`)}`
    const extra = statuses(n - 10 - 11 * each, 'g')
    return `query A { ${roots(extra)} } query B { ${roots('')} } fragment F on Health { ${statuses(each)} }`
  },
  repeatedFields: (n) => {
    const groups: string[] = []
    for (let left = n; left > 0;) {
      const size = Math.floor((1 + Math.sqrt(1 + 8 * left)) / 2)
      const name = groups.length === 0 ? 'status' : `g${groups.length}: status`
      groups.push(join(size, () => name))
      left -= (size * (size - 1)) / 2
    }
    return `{ health { ${groups.join(' ')} } }`
  },
  nestedValues: (n) => {
    const size = Math.floor(n / (200 * 200))
    const page = `a: agents(limit: 200) { agents { history(limit: 200) { history { ${join(size - 1, (i) => `f${i}: delta`)} } } } }`
    const rest = n - size * 200 * 200
    return `{ ${page} ${rest === 0 ? '' : `b: agents(limit: ${rest}) { agents { history(limit: 1) { total } } }`} }`
  },
}
