import { expect, test } from 'vitest'
import { httpFreshness } from '../../../src/platform/net/hosted/fetch-hosted.ts'

const DATE = 'Wed, 25 Nov 2026 12:00:00 GMT'
const LATER = 'Wed, 25 Nov 2026 12:00:30 GMT'

test.each<[Parameters<typeof httpFreshness>[0], number | null]>([
  [{}, null],
  [{ 'cache-control': 'public, must-revalidate' }, null],
  [{ 'cache-control': 'max-age=60' }, 60_000],
  [{ 'cache-control': 'MAX-AGE="60"' }, 60_000],
  [{ 'cache-control': 'max-age=60, s-maxage=5' }, 5_000],
  [{ 'cache-control': 'max-age=60', age: '59' }, 1_000],
  [{ 'cache-control': 'max-age=60', age: '61' }, 0],
  [{ 'cache-control': 'max-age=60', expires: LATER, date: DATE }, 60_000],
  [{ 'cache-control': 'max-age' }, 0],
  [{ 'cache-control': 'max-age=-1' }, 0],
  [{ 'cache-control': 'max-age=1e3' }, 0],
  [{ 'cache-control': 'max-age=60x' }, 0],
  [{ 'cache-control': 'max-age=99999999999' }, 0],
  [{ 'cache-control': 'max-age=60, No-Store' }, 0],
  [{ 'cache-control': 'no-cache, max-age=60' }, 0],
  [{ 'cache-control': 'private,max-age=60' }, 0],
  [{ expires: LATER, date: DATE }, 30_000],
  [{ expires: LATER, date: DATE, age: '10' }, 20_000],
  [{ expires: DATE, date: LATER }, 0],
  [{ expires: LATER }, 0],
  [{ expires: '0', date: DATE }, 0],
])('a response with the headers %j is fresh for %s ms', (headers, ms) => {
  expect(httpFreshness(headers)).toBe(ms)
})
