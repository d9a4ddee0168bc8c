import bs58 from 'bs58'
import { isPubkey, type Pubkey } from '@agent-registry/solana'
import type { Commitment } from '../bank/block.ts'
import { invalidParams } from './rpc-error.ts'

const COMMITMENTS: Readonly<Record<string, Commitment>> = {
  processed: 'processed',
  confirmed: 'confirmed',
  finalized: 'finalized',
  // Names of old clients.
  recent: 'processed',
  singleGossip: 'confirmed',
  single: 'confirmed',
  root: 'finalized',
  max: 'finalized',
}

/** The positional parameters of a request. Every reader throws -32602 with a text that names the culprit. */
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

  required(index: number, name: string): unknown {
    const value = this.value(index)
    if (value === undefined)
      throw invalidParams(`\`params\` should have at least ${index + 1} argument(s): ${name}`)
    return value
  }

  pubkey(index: number, name: string): Pubkey {
    return asPubkey(this.required(index, name), name)
  }

  text(index: number, name: string): string {
    return asText(this.required(index, name), name)
  }

  signature(index: number, name: string): string {
    return asSignature(this.required(index, name), name)
  }

  integer(index: number, name: string): number {
    return asInteger(this.required(index, name), name)
  }

  list(index: number, name: string, max: number): unknown[] {
    return asList(this.required(index, name), name, max)
  }

  config(index: number): Config {
    return new Config(this.value(index))
  }
}

/** A configuration object. Unknown fields are ignored, as Solana nodes do. */
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

  commitment(name = 'commitment'): Commitment {
    const text = this.value(name) ?? 'finalized'
    const commitment =
      typeof text === 'string' && Object.hasOwn(COMMITMENTS, text) ? COMMITMENTS[text] : undefined
    if (commitment === undefined) {
      throw invalidParams(`Invalid params: ${name} must be processed, confirmed or finalized`)
    }
    return commitment
  }

  integer(name: string): number | undefined {
    const value = this.value(name)
    return value === undefined ? undefined : asInteger(value, name)
  }

  flag(name: string): boolean {
    const value = this.value(name) ?? false
    if (typeof value !== 'boolean') throw invalidParams(`Invalid params: ${name} must be a boolean`)
    return value
  }

  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    const found = allowed.find((each) => each === value)
    if (found === undefined)
      throw invalidParams(`Invalid params: ${name} must be one of ${allowed.join(', ')}`)
    return found
  }

  signature(name: string): string | undefined {
    const value = this.value(name)
    return value === undefined ? undefined : asSignature(value, name)
  }

  config(name: string): Config | undefined {
    const value = this.value(name)
    return value === undefined ? undefined : new Config(value, name)
  }
}

export function asPubkey(value: unknown, name: string): Pubkey {
  if (!isPubkey(value)) throw invalidParams(`Invalid param: ${name} is not a base-58 public key of 32 bytes`)
  return value
}

export function asSignature(value: unknown, name: string): string {
  if (typeof value === 'string' && value.length <= 88 && bs58.decodeUnsafe(value)?.length === 64) return value
  throw invalidParams(`Invalid param: ${name} is not a base-58 signature of 64 bytes`)
}

export function asText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidParams(`Invalid params: ${name} must be a string`)
  return value
}

/** An unsigned integer. Integers above 2^53 lose precision in JSON and are refused. */
export function asInteger(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw invalidParams(`Invalid params: ${name} must be an unsigned integer`)
  }
  return value as number
}

export function asList(value: unknown, name: string, max: number): unknown[] {
  if (!Array.isArray(value)) throw invalidParams(`Invalid params: ${name} must be an array`)
  if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`)
  return value as unknown[]
}
