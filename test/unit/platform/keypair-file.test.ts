import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Keypair } from '@solana/web3.js'
import { expect, test } from 'vitest'
import {
  loadOrCreateKeypair,
  parseKeypair,
  readKeypairFile,
  readKeypairSetting,
  writeKeypairFile,
} from '../../../src/platform/keys.ts'
import { OperatorError } from '../../../src/platform/process/operator-error.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder('keys-')

test('A key file is created once, and only its owner can read it', () => {
  const path = join(folder, 'deep', 'key.json')
  const made = loadOrCreateKeypair(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(loadOrCreateKeypair(path).publicKey).toEqual(made.publicKey)
})

test('An existing key file is never overwritten', () => {
  const path = join(folder, 'kept.json')
  const kept = loadOrCreateKeypair(path)
  writeKeypairFile(path, Keypair.generate())
  expect(readKeypairFile(path).publicKey).toEqual(kept.publicKey)
})

test('A problem of the file of a setting names the setting', () => {
  const path = join(folder, 'missing.json')
  expect(() => readKeypairSetting(path, 'FEE_PAYER_KEYPAIR')).toThrow(
    `FEE_PAYER_KEYPAIR: ${path} cannot be read: ENOENT`,
  )
})

test('A key file that other users can read is refused', () => {
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
])('The content %s is refused, and the error does not contain it', (content) => {
  const path = join(folder, 'bad.json')
  writeFileSync(path, content, { mode: 0o600 })
  expect(() => readKeypairFile(path)).toThrow(OperatorError)
  expect(() => parseKeypair(content, 'FEE_PAYER_KEYPAIR')).toThrow(
    'FEE_PAYER_KEYPAIR is not a Solana CLI keypair: a JSON array of 64 bytes, secret key first',
  )
})
