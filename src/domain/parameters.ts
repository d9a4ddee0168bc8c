import { isPubkey, type Pubkey } from '@agent-registry/solana'
import { DomainError } from './errors.ts'
import { quoted } from './quoted.ts'

export interface IntegerRange {
  readonly min: number
  readonly max: number
}

const DECIMAL_INTEGER = /^(0|-?[1-9]\d{0,15})$/

/** Reads an optional value. Undefined and null mean absent. */
export function optional<Value>(
  read: (parameter: string, value: unknown) => Value,
  parameter: string,
  value: unknown,
): Value | undefined {
  return value === undefined || value === null ? undefined : read(parameter, value)
}

/** Throws FIELD_REQUIRED if the text is absent or empty. */
export function requiredText(parameter: string, value: string | null | undefined): string {
  if (!value) throw new DomainError('FIELD_REQUIRED', { parameter })
  return value
}

export function pubkeyParameter(parameter: string, value: unknown): Pubkey {
  if (isPubkey(value)) return value
  throw new DomainError('INVALID_PUBKEY', { parameter, value: quoted(value) })
}

/** Accepts a number, or decimal text as in a URL. */
export function integerParameter({ min, max }: IntegerRange) {
  return (parameter: string, value: unknown): number => {
    const number = typeof value === 'string' && DECIMAL_INTEGER.test(value) ? Number(value) : value
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= max) {
      return number
    }
    throw new DomainError('INVALID_INTEGER', { parameter, min, max, value: quoted(value) })
  }
}

export function enumParameter<const Choice extends string>(choices: readonly Choice[]) {
  return (parameter: string, value: unknown): Choice => {
    const choice = choices.find((each) => each === value)
    if (choice !== undefined) return choice
    throw new DomainError('INVALID_ENUM', { parameter, allowed: choices.join(', '), value: quoted(value) })
  }
}

/** Accepts a boolean, or the texts `true` and `false`. */
export function booleanParameter(parameter: string, value: unknown): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw new DomainError('INVALID_BOOLEAN', { parameter, value: quoted(value) })
}

/** A SHA-256 hash as hex digits. Returns them in lower case. */
export function sha256Parameter(parameter: string, value: unknown): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value)) return value.toLowerCase()
  const expected = 'a SHA-256 hash of 64 hex digits'
  throw new DomainError('INVALID_TYPE', { parameter, expected, value: quoted(value) })
}

/** Text of 1 to `maxLength` characters without control characters. */
export function textParameter(maxLength: number) {
  return (parameter: string, value: unknown): string => {
    const problem = textProblem(value, maxLength)
    if (problem === null) return value as string
    throw new DomainError('INVALID_TEXT', { parameter, problem, value: quoted(value) })
  }
}

function textProblem(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return 'must be text'
  if (!value.isWellFormed()) return 'must be well-formed Unicode'
  if (/\p{Cc}/u.test(value)) return 'must not contain control characters'
  const length = value.length > 2 * maxLength ? Infinity : Array.from(value).length
  if (length < 1 || length > maxLength) return `must have 1 to ${maxLength} characters`
  return null
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

export function timeParameter(parameter: string, value: unknown): Date {
  const time = new Date(typeof value === 'string' && ISO_TIME.test(value) ? value : Number.NaN)
  if (!Number.isNaN(time.getTime())) return time
  const problem = 'must be an ISO 8601 time with a time zone, for example 2026-11-21T06:00:00Z'
  throw new DomainError('INVALID_TEXT', { parameter, problem, value: quoted(value) })
}

/** ISO 8601 with a time zone. */
export interface PeriodInput {
  readonly since?: string | null
  readonly until?: string | null
}

/** Throws INVALID_TEXT and INVALID_RANGE. */
export function readPeriod(input: PeriodInput): { since?: Date; until?: Date } {
  const since = optional(timeParameter, 'since', input.since)
  const until = optional(timeParameter, 'until', input.until)
  if (since !== undefined && until !== undefined) checkPeriod(since, until)
  return { since, until }
}

export function checkPeriod(since: Date, until: Date): void {
  if (since <= until) return
  const [lowValue, highValue] = [since.toISOString(), until.toISOString()]
  throw new DomainError('INVALID_RANGE', { low: 'since', high: 'until', lowValue, highValue })
}
