/** Years 0001 to 9999 in UTC: what ISO 8601 with four digits, whose order is that of time, and timestamptz have in common. */
const MIN_MS = -62_135_596_800_000
const MAX_MS = 253_402_300_799_999

const DATE_TIME_STAMP =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/

/**
 * An XML Schema dateTimeStamp (https://www.w3.org/TR/xmlschema11-2/#dateTimeStamp) of the years 0001 to 9999 in UTC as ms since the
 * epoch; null where it is none: without zone, a day that the calendar lacks, an hour 24.
 */
export function parseDateTimeStamp(value: unknown): number | null {
  const found = typeof value === 'string' ? DATE_TIME_STAMP.exec(value) : null
  if (found === null) return null
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = found.slice(7)
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
