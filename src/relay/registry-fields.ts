import { SERVICE_CATEGORIES } from '@agent-registry/program'
import { DomainError } from '../domain/errors.ts'
import { enumParameter, textParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'

type Reader = (parameter: string, value: unknown) => unknown
type Input = Readonly<Record<string, unknown>>

/** Lengths in characters. The program limits bytes, so its simulation refuses longer texts. */
export const REGISTER_FIELDS = {
  name: textParameter(32),
  serviceCategory: enumParameter(SERVICE_CATEGORIES),
  agentCardUrl: textParameter(200),
  /** SHA-256 of the agent card, 64 hex digits. */
  agentCardHash: sha256,
}
export const UPDATE_FIELDS = {
  ...REGISTER_FIELDS,
  /** u64 bit mask in decimal. */
  capabilities: u64,
  version: (parameter: string, value: unknown) => (value === '' ? '' : textParameter(16)(parameter, value)),
}

export function readFields(fields: Readonly<Record<string, Reader>>, given: object): Record<string, unknown> {
  const input = given as Input
  return Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(name, input[name])]))
}

/** Throws INVALID_REQUEST if nothing changes, or only one of agentCardUrl and agentCardHash. */
export function readChanges(given: object): Record<string, unknown> {
  const input = given as Input
  const isGiven = (name: string): boolean => input[name] !== undefined && input[name] !== null
  const fields = Object.entries(UPDATE_FIELDS).filter(([name]) => isGiven(name))
  if (fields.length === 0) {
    const problem = `Provide at least one field to change: ${Object.keys(UPDATE_FIELDS).join(', ')}`
    throw new DomainError('INVALID_REQUEST', { problem })
  }
  if (isGiven('agentCardUrl') !== isGiven('agentCardHash'))
    throw new DomainError('INVALID_REQUEST', {
      problem: 'agentCardUrl and agentCardHash must change together',
    })
  return readFields(Object.fromEntries(fields), input)
}

const MAX_U64 = 2n ** 64n - 1n

export function u64(parameter: string, value: unknown): bigint {
  const number = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : null
  if (number !== null && number <= MAX_U64) return number
  const expected = `an integer from 0 to ${MAX_U64} in decimal text`
  throw new DomainError('INVALID_TYPE', { parameter, expected, value: quoted(value) })
}

function sha256(parameter: string, value: unknown): Uint8Array {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value))
    return new Uint8Array(Buffer.from(value, 'hex'))
  const expected = 'a SHA-256 hash of 64 hex digits'
  throw new DomainError('INVALID_TYPE', { parameter, expected, value: quoted(value) })
}
