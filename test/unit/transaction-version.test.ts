import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Asks for less, to see the error of a node. */
const OF_OLD_CLIENTS = new Set([
  'packages/localnet/test/v1.test.ts',
  'packages/localnet/test/json-rpc.test.ts',
])
const FOLDERS = '{src,schema,rest,packages,test,bench,examples,docs}/**/*.{ts,tsx,mjs,js}'

const files = globSync(FOLDERS, { cwd: root, exclude: (path) => /node_modules|dist/.test(path) })
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

test('no code asks for older transactions than it can read', () => {
  const wanted = files
    .filter((file) => !OF_OLD_CLIENTS.has(file))
    .flatMap((file) =>
      [...read(file).matchAll(/maxSupportedTransactionVersion['"]?:\s*(\d+|['"]\w+)/g)].map(
        ([, version = '']) => ({ file, version }),
      ),
    )
  expect(wanted.filter(({ version }) => !(Number(version) >= MAX_TRANSACTION_VERSION))).toEqual([])
})

test('every file of the gateway that reads transactions or blocks says which versions it can read', () => {
  const readers = files.filter(
    (file) =>
      file.startsWith('src/') && /['"](?:getTransaction|getBlock|blockSubscribe)['"]/.test(read(file)),
  )
  expect(readers.length).toBeGreaterThan(3)
  const silent = readers.filter(
    (file) => !/maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION/.test(read(file)),
  )
  // It compares the names of methods and calls none of these.
  expect(silent).toEqual(['src/ledger/failover/missing-results.ts'])
})
