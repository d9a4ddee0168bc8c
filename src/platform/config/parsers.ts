import { isPubkey, type Pubkey } from '@agent-registry/solana'
import { parseSecretsKey } from '../keys/webhook-secrets-key.ts'

/** Parses a setting. Throws SettingError with the allowed values. */
export type Parser<Value> = (text: string) => Value

export class SettingError extends Error {
  override readonly name = 'SettingError'
}

export function integer(min: number, max: number): Parser<number> {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new SettingError(`must be an integer from ${min} to ${max}`)
    }
    return value
  }
}

export function oneOf<const Choice extends string>(...choices: Choice[]): Parser<Choice> {
  return (text) => {
    const found = choices.find((choice) => choice === text)
    if (found === undefined) throw new SettingError(`must be one of ${choices.join(', ')}`)
    return found
  }
}

export function url(...protocols: string[]): Parser<string> {
  return (text) => {
    const parsed = URL.parse(text)
    if (parsed === null || !protocols.includes(parsed.protocol.slice(0, -1))) {
      throw new SettingError(`must be a URL with scheme ${protocols.join(' or ')}`)
    }
    return text
  }
}

export function list<Item>(item: Parser<Item>): Parser<Item[]> {
  return (text) =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map(item)
}

export const text: Parser<string> = (value) => value

/** `on` and `off` are older spellings. */
export const boolean: Parser<boolean> = (value) => {
  if (value === 'true' || value === 'on') return true
  if (value === 'false' || value === 'off') return false
  throw new SettingError('must be true or false')
}

export const publicKey: Parser<Pubkey> = (value) => {
  if (!isPubkey(value)) throw new SettingError('must be a base-58 public key of 32 bytes')
  return value
}

/** An IP address or a CIDR block. */
export const network: Parser<string> = (value) => {
  if (!/^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(value))
    throw new SettingError('must be IP addresses or CIDR blocks')
  return value
}

/** 32 bytes in hex or base64. */
export const secretsKey: Parser<Buffer> = (value) => {
  const key = parseSecretsKey(value)
  if (key === null) throw new SettingError('must be keys of 32 bytes in hex or base64')
  return key
}

/** An origin as a browser sends it, such as https://app.example.org, or `*`. */
export const origin: Parser<string> = (value) => {
  if (value !== '*' && URL.parse(value)?.origin !== value)
    throw new SettingError('must be origins such as https://app.example.org, or *')
  return value
}
