/** Years 0001 to 9999 in UTC. ISO 8601 texts with four digits and timestamptz both support them. */
const MIN_MS = -62_135_596_800_000
const MAX_MS = 253_402_300_799_999

const DATE_TIME_STAMP =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/

/**
 * Parses an XML Schema dateTimeStamp (https://www.w3.org/TR/xmlschema11-2/#dateTimeStamp) to
 * milliseconds. Null without a time zone, for an invalid day, hour 24, or a year outside 1 to 9999.
 */
export function parseDateTimeStamp(value: unknown): number | null {
  const match = typeof value === 'string' ? DATE_TIME_STAMP.exec(value) : null
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match.slice(7)
  if (hour > 23 || minute > 59 || second > 59) return null
  const offset = Number(offsetHours) * 60 + Number(offsetMinutes)
  if (offset > 14 * 60 || Number(offsetMinutes) > 59) return null
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  date.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')))
  const time = date.getTime() - (sign === '-' ? -offset : offset) * 60_000
  return time >= MIN_MS && time <= MAX_MS ? time : null
}
