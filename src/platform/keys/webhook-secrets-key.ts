import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from '../process/operator-error.ts'
import { writeNewSecretFile } from './keypair-file.ts'

const KEY_BYTES = 32

/** A key of 32 bytes in hex (64 digits), base64 or base64url; null for anything else. */
export function parseSecretsKey(text: string): Buffer | null {
  const key = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : fromBase64(text)
  return key?.length === KEY_BYTES ? key : null
}

function fromBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
}

/** The key of a localnet's gateway: `DATA_DIR/keys/webhook-secrets-key`, made where there is none, readable by its owner only. */
export function loadOrCreateSecretsKey(dataDir: string): Buffer {
  const path = join(dataDir, 'keys', 'webhook-secrets-key')
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeNewSecretFile(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`)
  }
  const mode = statSync(path).mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new OperatorError(`${path} can be read by other users (mode ${mode.toString(8)}): chmod 600 it`)
  }
  const key = parseSecretsKey(readFileSync(path, 'utf8').trim())
  if (key === null) throw new OperatorError(`${path} does not hold a key of 32 bytes in base64`)
  return key
}
