import { createStore } from '../api/store.ts'
import { plural } from './number.ts'

const UNITS: [unit: string, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const SECOND = ['second', 1] as const

/** Made at the first use, which takes 20 ms: the first page does not wait for it. */
let exact: Intl.DateTimeFormat | undefined
function exactTime(value: string): string {
  exact ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
  return exact.format(new Date(value))
}

/** One clock for all times of the page. */
const clock = createStore(Date.now())
setInterval(() => clock.set(Date.now()), 10_000)

/** "3 minutes ago". Its title has the exact time, below the pointer as the reader writes it. */
export function RelativeTime({ value }: { readonly value: string }) {
  return (
    <time
      dateTime={value}
      title={value}
      onPointerEnter={(event) => (event.currentTarget.title = exactTime(value))}
    >
      {relativeTime(Date.parse(value), clock.useValue())}
    </time>
  )
}

/** Both in milliseconds. From 59.5 seconds on, it is a minute, and so on. */
export function relativeTime(time: number, now: number): string {
  const seconds = (time - now) / 1_000
  const size = Math.abs(seconds)
  const [unit, length] = UNITS.find(([, each], i) => size >= each - (UNITS[i + 1]?.[1] ?? 1) / 2) ?? SECOND
  if (unit === 'second' && size < 10) return 'just now'
  const count = Math.round(size / length)
  const text = plural(count, unit)
  return seconds < 0 ? `${text} ago` : `in ${text}`
}

/** A duration from days to seconds, by its two largest units: "6 days 23 hours". */
export function inWords(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds))
  const counts = [...UNITS.slice(2), SECOND].map(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return [count, unit] as const
  })
  const first = counts.findIndex(([count]) => count > 0)
  const two = first < 0 ? counts.slice(-1) : counts.slice(first, first + 2)
  const given = two.filter(([count], i) => i === 0 || count > 0)
  return given.map(([count, unit]) => plural(count, unit)).join(' ')
}
