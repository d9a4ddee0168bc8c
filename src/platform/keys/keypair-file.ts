import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Keypair } from '@solana/web3.js'
import { OperatorError } from '../process/operator-error.ts'

/** A key that cannot be used; the message names the source, never the key. */
export class KeypairError extends OperatorError {
  override readonly name = 'KeypairError'
}

/** Reads a Solana CLI JSON file: an array of 64 bytes. Refused when other users can read it. */
export function readKeypairFile(path: string): Keypair {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    throw new KeypairError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`, {
      cause: error,
    })
  }
  const mode = statSync(path).mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new KeypairError(`${path} can be read by other users (mode ${mode.toString(8)}): chmod 600 it`)
  }
  return parseKeypair(content, path)
}

/** Parses the text of a Solana CLI JSON file; `source` names it in errors. */
export function parseKeypair(content: string, source: string): Keypair {
  try {
    const bytes = JSON.parse(content) as unknown
    if (!Array.isArray(bytes) || bytes.length !== 64) throw new TypeError('not 64 bytes')
    return Keypair.fromSecretKey(Uint8Array.from(bytes as number[]))
  } catch {
    // The cause is dropped: a parser's message may quote the key.
    throw new KeypairError(
      `${source} is not a Solana CLI keypair: a JSON array of 64 bytes, secret key first`,
    )
  }
}

/** Reads the key, or makes one where there is none, readable by its owner only. */
export function loadOrCreateKeypair(path: string): Keypair {
  if (existsSync(path)) return readKeypairFile(path)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeKeypairFile(path, Keypair.generate())
  return readKeypairFile(path)
}

/** Writes a new file whole or not at all; an existing one stays as it is. */
export function writeKeypairFile(path: string, keypair: Keypair): void {
  writeNewSecretFile(path, JSON.stringify([...keypair.secretKey]))
}

/** The same for any text that only its owner may read. */
export function writeNewSecretFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, text, { mode: 0o600 })
  chmodSync(unfinished, 0o600)
  try {
    linkSync(unfinished, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(unfinished, { force: true })
  }
}
