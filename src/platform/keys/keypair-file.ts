import { existsSync } from 'node:fs'
import { Keypair } from '@solana/web3.js'
import { OperatorError } from '../process/operator-error.ts'
import { readSecretFile, writeNewSecretFile } from './secret-file.ts'

/** Reads a Solana CLI JSON file: an array of 64 bytes. */
export function readKeypairFile(path: string): Keypair {
  return parseKeypair(readSecretFile(path), path)
}

/** Reads a setting: the path of a Solana CLI JSON file, or the JSON array itself. */
export function readKeypairSetting(value: string, setting: string): Keypair {
  if (value.startsWith('[')) return parseKeypair(value, setting)
  try {
    return readKeypairFile(value)
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`${setting}: ${error.message}`) : error
  }
}

/** `source` is a file or a setting. The error contains the source and never the key. */
export function parseKeypair(content: string, source: string): Keypair {
  try {
    const bytes = JSON.parse(content) as unknown
    if (!Array.isArray(bytes) || bytes.length !== 64) throw new TypeError('not 64 bytes')
    return Keypair.fromSecretKey(Uint8Array.from(bytes as number[]))
  } catch {
    // No cause: a parser's message may contain the key.
    throw new OperatorError(
      `${source} is not a Solana CLI keypair: a JSON array of 64 bytes, secret key first`,
    )
  }
}

/** Creates the file with a new key if it does not exist. */
export function loadOrCreateKeypair(path: string): Keypair {
  if (!existsSync(path)) writeKeypairFile(path, Keypair.generate())
  return readKeypairFile(path)
}

/** Keeps an existing file. */
export function writeKeypairFile(path: string, keypair: Keypair): void {
  writeNewSecretFile(path, JSON.stringify([...keypair.secretKey]))
}
