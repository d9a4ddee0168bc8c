import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { headerFromIdl } from '../build/header.ts'
import { registryIdl } from '../src/idl.ts'

/** Anchor's rule. */
function discriminator(namespace: string, name: string): number[] {
  return [...createHash('sha256').update(`${namespace}:${name}`).digest().subarray(0, 8)]
}

describe('the IDL', () => {
  it.each([
    ['global', registryIdl.instructions],
    ['account', registryIdl.accounts],
    ['event', registryIdl.events],
  ] as const)('has the discriminators of %s names', (namespace, entries) => {
    for (const entry of entries) expect(entry.discriminator).toEqual(discriminator(namespace, entry.name))
  })

  it('numbers its errors without gaps from 6000', () => {
    expect(registryIdl.errors.map(({ code }) => code)).toEqual(registryIdl.errors.map((_, i) => 6000 + i))
    expect(new Set(registryIdl.errors.map(({ name }) => name)).size).toBe(46)
  })

  it('is the source of the C header', () => {
    const header = readFileSync(new URL('../program/idl.h', import.meta.url), 'utf8')
    expect(header).toBe(headerFromIdl(registryIdl))
  })
})
