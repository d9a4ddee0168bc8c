import { isPubkey, type Pubkey } from '@agent-registry/solana'
import { parseSecretsKey } from '../keys.ts'
import { RATE_LIMIT_KINDS, type RateLimitNumbers } from '../rate-limits/rate-limits.ts'

/** Parses a setting. Throws SettingError with the allowed values. */
export interface Parser<Value> {
  (text: string): Value
  /** The allowed values, for error messages and the settings reference. */
  readonly accepts: string
}

export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** `parse` returns undefined for a value that is not allowed. */
function parser<Value>(accepts: string, parse: (text: string) => Value | undefined): Parser<Value> {
  const parseOrThrow = (text: string): Value => {
    const value = parse(text)
    if (value === undefined) throw new SettingError(`must be ${accepts}`)
    return value
  }
  return Object.assign(parseOrThrow, { accepts })
}

export function integer(min: number, max: number): Parser<number> {
  return parser(`an integer from ${min} to ${max}`, (text) => {
    const value = Number(text)
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined
  })
}

export function oneOf<const Choice extends string>(...choices: Choice[]): Parser<Choice> {
  return parser(`one of ${choices.join(', ')}`, (text) => choices.find((choice) => choice === text))
}

export function url(...protocols: string[]): Parser<string> {
  return parser(`a URL with scheme ${protocols.join(' or ')}`, (text) => {
    const parsed = URL.parse(text)
    return parsed !== null && protocols.includes(parsed.protocol.slice(0, -1)) ? text : undefined
  })
}

/** Comma-separated values. An error names what each of them must be. */
export function list<Item>(item: Parser<Item>): Parser<Item[]> {
  const parseList = (text: string): Item[] =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map(item)
  return Object.assign(parseList, { accepts: `a list; each item is ${item.accepts}` })
}

export const text: Parser<string> = parser('text', (value) => value)

/** `on` and `off` are older spellings. */
export const boolean: Parser<boolean> = parser('true or false', (value) => {
  if (value === 'true' || value === 'on') return true
  return value === 'false' || value === 'off' ? false : undefined
})

const MAX_PER_MINUTE = 1_000_000

/** The limits per minute and client. `false` turns all of them off: null. */
export const rateLimits: Parser<RateLimitNumbers | null> = parser(
  `true, false, or limits such as reads=1200,verify=5, each once and from 1 to ${MAX_PER_MINUTE}`,
  (value) => {
    const numbers = Object.fromEntries(
      Object.entries(RATE_LIMIT_KINDS).map(([kind, { perMinute }]) => [kind, perMinute]),
    ) as Record<keyof RateLimitNumbers, number>
    if (value === 'true' || value === 'on') return numbers
    if (value === 'false' || value === 'off') return null
    const given = new Set<string>()
    for (const each of value.split(',')) {
      const [, kind = '', digits = ''] = /^\s*(\w+)=(\d+)\s*$/.exec(each) ?? []
      const perMinute = Number(digits)
      const isNew = Object.hasOwn(numbers, kind) && !given.has(kind)
      if (!isNew || perMinute < 1 || perMinute > MAX_PER_MINUTE) return undefined
      given.add(kind)
      numbers[kind as keyof RateLimitNumbers] = perMinute
    }
    return numbers
  },
)

export const publicKey: Parser<Pubkey> = parser('a base-58 public key of 32 bytes', (value) =>
  isPubkey(value) ? value : undefined,
)

export const network: Parser<string> = parser('an IP address or a CIDR block', (value) =>
  /^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(value) ? value : undefined,
)

export const secretsKey: Parser<Buffer> = parser(
  'a key of 32 bytes in hex or base64',
  (value) => parseSecretsKey(value) ?? undefined,
)

const isOrigin = (value: string): boolean => URL.parse(value)?.origin === value

/** An origin as a browser sends it, or `*` for all. */
export const origin: Parser<string> = parser('an origin such as https://app.example.org, or *', (value) =>
  value === '*' || isOrigin(value) ? value : undefined,
)

/** An origin as a browser sends it. */
export const pageOrigin: Parser<string> = parser('an origin such as https://app.example.org', (value) =>
  isOrigin(value) ? value : undefined,
)
