import { types } from 'pg'

const INT8 = 20
const DATE = 1082
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184
const INTERVAL = 1186
const TEXT_ARRAY = 1009
const INT8_ARRAY = 1016
const NUMERIC_ARRAY = 1231
const TIMESTAMPTZ_ARRAY = 1185

const UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/
/** Length of `2026-11-21 06:29:22+00`. Block times have this form. */
const WHOLE_SECONDS = 22

/** Converts timestamptz text to ISO 8601 in UTC with milliseconds. Ten times faster than a Date. */
export function isoTimestamp(text: string): string {
  if (text.length === WHOLE_SECONDS && text.endsWith('+00') && text[10] === ' ')
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.000Z`
  const match = UTC.exec(text)
  if (match === null) return /infinity/.test(text) ? text : new Date(withFullOffset(text)).toISOString()
  return `${match[1]}T${match[2]}.${(match[3] ?? '').slice(0, 3).padEnd(3, '0')}Z`
}

/** PostgreSQL writes `+02`. Date only accepts `+02:00`. */
function withFullOffset(text: string): string {
  return text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')
}

const raw = (text: string): string => text
const standardParser = types.getTypeParser as (oid: number, format?: string) => unknown
const textArray = standardParser(TEXT_ARRAY) as (text: string) => string[]

const parsers = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [INT8_ARRAY, (text) => textArray(text).map(Number)],
  [NUMERIC_ARRAY, textArray],
  [TIMESTAMPTZ, isoTimestamp],
  [TIMESTAMPTZ_ARRAY, (text) => textArray(text).map(isoTimestamp)],
  [DATE, raw],
  [TIMESTAMP, raw],
  [INTERVAL, raw],
])

/** Parsers of result values: int8 as number, numeric as text, timestamptz as ISO text. */
export const valueParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
    return format === 'binary'
      ? standardParser(oid, format)
      : (parsers.get(oid) ?? standardParser(oid, 'text'))
  },
}
