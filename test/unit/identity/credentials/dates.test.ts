import { expect, test } from 'vitest'
import { parseDateTimeStamp } from '../../../../src/identity/credentials/formats.ts'

test.each([
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['0000-12-31T23:00:00-01:00', '0001-01-01T00:00:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-12-31T23:59:59Z', '2026-12-31T23:59:59.000Z'],
  ['2026-01-01T00:00:00+14:00', '2025-12-31T10:00:00.000Z'],
  ['2026-01-01T00:00:00-14:00', '2026-01-01T14:00:00.000Z'],
  ['2026-01-01T00:00:00-00:59', '2026-01-01T00:59:00.000Z'],
  ['2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00.500Z'],
  ['2026-01-01T00:00:00.01Z', '2026-01-01T00:00:00.010Z'],
  ['2026-01-01T00:00:00.123999999Z', '2026-01-01T00:00:00.123Z'],
])('%s is %s', (text, iso) => {
  expect(new Date(parseDateTimeStamp(text)!).toISOString()).toBe(iso)
})

test.each([
  ['a day before year 1', '0000-12-31T23:59:59.999Z'],
  ['year 1 in a zone to the east', '0001-01-01T00:00:00+00:01'],
  ['year 9999 in a zone to the west', '9999-12-31T23:59:59-00:01'],
  ['29 February of another year', '2026-02-29T00:00:00Z'],
  ['day 0', '2026-01-00T00:00:00Z'],
  ['day 32', '2026-01-32T00:00:00Z'],
  ['month 0', '2026-00-01T00:00:00Z'],
  ['month 13', '2026-13-01T00:00:00Z'],
  ['hour 24', '2026-01-01T24:00:00Z'],
  ['minute 60', '2026-01-01T00:60:00Z'],
  ['second 60', '2026-01-01T00:00:60Z'],
  ['a zone of more than 14 hours', '2026-01-01T00:00:00+14:01'],
  ['a zone with 60 minutes', '2026-01-01T00:00:00+13:60'],
  ['no zone', '2026-01-01T00:00:00'],
  ['a date only', '2026-01-01'],
  ['ten digits after the second', '2026-01-01T00:00:00.1234567890Z'],
  ['no digits after the point', '2026-01-01T00:00:00.Z'],
  ['a small z', '2026-01-01T00:00:00z'],
  ['text before it', ' 2026-01-01T00:00:00Z'],
  ['text after it', '2026-01-01T00:00:00Z\n'],
  ['a year of five digits', '12026-01-01T00:00:00Z'],
  ['milliseconds', 1_767_225_600_000],
  ['a list', ['2026-01-01T00:00:00Z']],
  ['null', null],
])('%s is not a date', (_, value) => {
  expect(parseDateTimeStamp(value)).toBeNull()
})
