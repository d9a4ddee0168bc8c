import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { DomainError } from '../../../../src/domain/errors.ts'

/** A row of docs/reference/limits.md. */
export interface Row {
  readonly section: string
  readonly name: string
  readonly value: string
  /** The last column: what happens beyond the limit. */
  readonly exceeded: string
}

/** A check for each number of a row, by the names of section and row. */
export type Cases = Readonly<Record<string, Readonly<Record<string, Check | readonly Check[]>>>>

/** Checks the limit at `n`, a number of the row. Times are in milliseconds. */
export type Check = (n: number, row: Row) => Promise<void>

/** What happens with a number. No result means `ok`, and an error its status and code. */
type Probe = (n: number) => unknown

const PAGE = new URL('../../../../docs/reference/limits.md', import.meta.url)

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

/** The limit is accepted, one more is not. */
export const most = edge(0, 1)
/** The limit is accepted, one less is not. */
export const least = edge(0, -1)
/** One less than the limit is accepted, the limit is not. */
export const below = edge(-1, 0)
/** The service has exactly this number. */
export const equals =
  (read: () => unknown): Check =>
  async (n) =>
    expect(await read()).toBe(n)
/** A greater number is lowered to the limit. */
export const lowered =
  (probe: Probe): Check =>
  async (n) =>
    expect([await probe(n), await probe(n + 1)]).toEqual([n, n])
/** A smaller number is raised to the limit. */
export const raised =
  (probe: Probe): Check =>
  async (n) =>
    expect([await probe(n), await probe(n - 1)]).toEqual([n, n])

/** The test with this title, in another file, checks both sides of the limit. */
export const testedIn =
  (file: string, title: string): Check =>
  async () => {
    const text = readFileSync(new URL(`../../../${file}.test.ts`, import.meta.url), 'utf8')
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
