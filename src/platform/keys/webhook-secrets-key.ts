import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../process/operator-error.ts'
import { readSecretFile, writeNewSecretFile } from './secret-file.ts'

const KEY_BYTES = 32

/** A key of 32 bytes in hex (64 digits), base64 or base64url. Null for anything else. */
export function parseSecretsKey(text: string): Buffer | null {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  const key = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
  return key?.length === KEY_BYTES ? key : null
}

/** The key of a localnet's gateway, `DATA_DIR/keys/webhook-secrets-key`. Creates a missing file. */
export function loadOrCreateSecretsKey(dataDir: string): Buffer {
  const path = join(dataDir, 'keys', 'webhook-secrets-key')
  if (!existsSync(path)) writeNewSecretFile(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`)
  const key = parseSecretsKey(readSecretFile(path).trim())
  if (key === null) throw new OperatorError(`${path} does not contain a key of 32 bytes in base64`)
  return key
}
