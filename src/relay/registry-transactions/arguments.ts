import { SERVICE_CATEGORIES } from '@agent-registry/program'
import { enumParameter, optional, textParameter } from '../../domain/parameters.ts'
import { quoted } from '../../domain/quoted.ts'
import { DomainError } from '../../domain/errors.ts'
import type { RegisterAgentInput, UpdateAgentInput } from './inputs.ts'

const MAX_U64 = 2n ** 64n - 1n
const HASH = /^[0-9a-f]{64}$/i

/** The program counts bytes; a text that has fewer characters and too many bytes is refused by its simulation. */
const name = textParameter(32)
const url = textParameter(200)
const version = textParameter(16)
const category = enumParameter(SERVICE_CATEGORIES)

export function registerArguments(input: RegisterAgentInput) {
  return {
    name: name('name', input.name),
    serviceCategory: category('serviceCategory', input.serviceCategory),
    agentCardUrl: url('agentCardUrl', input.agentCardUrl),
    agentCardHash: hash('agentCardHash', input.agentCardHash),
  }
}

/** Throws INVALID_REQUEST where nothing is to be changed, or URL and hash do not come together. */
export function updateArguments(input: UpdateAgentInput) {
  const changes = {
    name: optional(name, 'name', input.name),
    serviceCategory: optional(category, 'serviceCategory', input.serviceCategory),
    capabilities: optional(u64, 'capabilities', input.capabilities),
    version: input.version === '' ? '' : optional(version, 'version', input.version),
    agentCardUrl: optional(url, 'agentCardUrl', input.agentCardUrl),
    agentCardHash: optional(hash, 'agentCardHash', input.agentCardHash),
  }
  if (Object.values(changes).every((each) => each === undefined)) {
    throw new DomainError('INVALID_REQUEST', {
      problem: `Name at least one field to change: ${Object.keys(changes).join(', ')}`,
    })
  }
  if ((changes.agentCardUrl === undefined) !== (changes.agentCardHash === undefined))
    throw new DomainError('INVALID_REQUEST', { problem: 'agentCardUrl and agentCardHash change together' })
  return changes
}

/** A u64 in decimal. */
export function u64(parameter: string, value: unknown): bigint {
  const number = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : null
  if (number !== null && number <= MAX_U64) return number
  throw new DomainError('INVALID_TYPE', {
    parameter,
    expected: `an integer from 0 to ${MAX_U64} in decimal text`,
    value: quoted(value),
  })
}

function hash(parameter: string, value: unknown): Uint8Array {
  if (typeof value === 'string' && HASH.test(value)) return Uint8Array.from(Buffer.from(value, 'hex'))
  throw new DomainError('INVALID_TYPE', {
    parameter,
    expected: 'a SHA-256 hash of 64 hex digits',
    value: quoted(value),
  })
}
