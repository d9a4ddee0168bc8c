import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keypair } from '@solana/web3.js'
import { afterAll, expect, test } from 'vitest'
import {
  KeypairError,
  loadOrCreateKeypair,
  parseKeypair,
  readKeypairFile,
  writeKeypairFile,
} from '../../src/platform/keys/keypair-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'keys-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('makes a key once, readable by its owner only, and finds it again', () => {
  const path = join(folder, 'deep', 'key.json')
  const made = loadOrCreateKeypair(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(loadOrCreateKeypair(path).publicKey).toEqual(made.publicKey)
})

test('never overwrites a key', () => {
  const path = join(folder, 'kept.json')
  const kept = loadOrCreateKeypair(path)
  writeKeypairFile(path, Keypair.generate())
  expect(readKeypairFile(path).publicKey).toEqual(kept.publicKey)
})

test('refuses a file that others can read', () => {
  const path = join(folder, 'open.json')
  loadOrCreateKeypair(path)
  chmodSync(path, 0o640)
  expect(() => readKeypairFile(path)).toThrow(/can be read by other users \(mode 640\)/)
})

test.each([
  '',
  'null',
  '[1,2,3]',
  '{"a":1}',
  `[${'999,'.repeat(63)}1]`,
  `[${Array.from({ length: 64 }, () => 7).join()}]`,
])('refuses %s without repeating it', (content) => {
  const path = join(folder, 'bad.json')
  writeFileSync(path, content, { mode: 0o600 })
  expect(() => readKeypairFile(path)).toThrow(KeypairError)
  expect(() => parseKeypair(content, 'FEE_PAYER_KEYPAIR')).toThrow(
    'FEE_PAYER_KEYPAIR is not a Solana CLI keypair: a JSON array of 64 bytes, secret key first',
  )
})
