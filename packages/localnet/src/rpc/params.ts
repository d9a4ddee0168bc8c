import { isPubkey, type Pubkey, signatureBytes } from '@agent-registry/solana'
import type { Commitment } from '../bank/block.ts'
import { invalidParams } from './rpc-error.ts'

const COMMITMENTS = new Map<unknown, Commitment>([
  ['processed', 'processed'],
  ['confirmed', 'confirmed'],
  ['finalized', 'finalized'],
  // Names that old clients use.
  ['recent', 'processed'],
  ['singleGossip', 'confirmed'],
  ['single', 'confirmed'],
  ['root', 'finalized'],
  ['max', 'finalized'],
])

/**
 * Checks a value and returns it with its type. Throws -32602 with the name if the value is not
 * valid.
 */
export type Read<T> = (value: unknown, name: string) => T

/** The positional parameters of a request. */
export class Params {
  readonly #values: readonly unknown[]

  constructor(params: unknown) {
    if (params !== undefined && params !== null && !Array.isArray(params)) {
      throw invalidParams('Invalid params: expected an array')
    }
    this.#values = (params ?? []) as unknown[]
  }

  value(index: number): unknown {
    return this.#values[index] ?? undefined
  }

  required<T>(index: number, name: string, read: Read<T>): T {
    const value = this.value(index)
    if (value === undefined)
      throw invalidParams(`\`params\` should have at least ${index + 1} argument(s): ${name}`)
    return read(value, name)
  }

  config(index: number): Config {
    return new Config(this.value(index))
  }
}

/** A configuration object. Unknown fields are ignored, as on a Solana node. */
export class Config {
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(value: unknown, name = 'config') {
    if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value))) {
      throw invalidParams(`Invalid params: ${name} must be an object`)
    }
    this.#fields = (value ?? {}) as Record<string, unknown>
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined
  }

  optional<T>(name: string, read: Read<T>): T | undefined {
    const value = this.value(name)
    return value === undefined ? undefined : read(value, name)
  }

  flag(name: string): boolean {
    return this.optional(name, asBoolean) ?? false
  }

  integer(name: string): number | undefined {
    return this.optional(name, asInteger)
  }

  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.value(name)
    const found = allowed.find((each) => each === value)
    if (value !== undefined && found === undefined)
      throw invalidParams(`Invalid params: ${name} must be one of ${allowed.join(', ')}`)
    return found
  }

  /** The default is finalized. */
  commitment(name = 'commitment'): Commitment {
    const commitment = COMMITMENTS.get(this.value(name) ?? 'finalized')
    if (commitment === undefined)
      throw invalidParams(`Invalid params: ${name} must be processed, confirmed or finalized`)
    return commitment
  }
}

export function asConfig(value: unknown, name: string): Config {
  return new Config(value, name)
}

export function asPubkey(value: unknown, name: string): Pubkey {
  if (!isPubkey(value)) throw invalidParams(`Invalid param: ${name} is not a base-58 public key of 32 bytes`)
  return value
}

export function asSignature(value: unknown, name: string): string {
  if (typeof value === 'string' && signatureBytes(value) !== null) return value
  throw invalidParams(`Invalid param: ${name} is not a base-58 signature of 64 bytes`)
}

export function asText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidParams(`Invalid params: ${name} must be a string`)
  return value
}

/** Integers above 2^53 are refused, because JSON.parse does not keep them exact. */
export function asInteger(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw invalidParams(`Invalid params: ${name} must be an unsigned integer`)
  }
  return value as number
}

/** Reads a list of at most `max` items. */
export function listOf<T>(read: Read<T>, max: number, itemName?: string): Read<T[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw invalidParams(`Invalid params: ${name} must be an array`)
    if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`)
    return value.map((each) => read(each, itemName ?? name))
  }
}

function asBoolean(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw invalidParams(`Invalid params: ${name} must be a boolean`)
  return value
}
