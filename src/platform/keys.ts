import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createPrivateKey, randomBytes, sign } from 'node:crypto'
import { Keypair } from '@solana/web3.js'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import { OperatorError } from './process/operator-error.ts'
import { writeNewFile } from './process/pid-lock.ts'

export const keyOf = (keypair: Keypair): Pubkey => pubkey(keypair.publicKey.toBase58())

/** Throws OperatorError if the file cannot be read, or if other users can read it. */
function readSecretFile(path: string): string {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`, {
      cause: error,
    })
  }
  const mode = statSync(path).mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new OperatorError(
      `${path} can be read by other users (mode ${mode.toString(8)}). Run: chmod 600 ${path}`,
    )
  }
  return content
}

/** Keeps an existing file. */
function writeSecretFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeNewFile(path, text)
}

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
  writeSecretFile(path, JSON.stringify([...keypair.secretKey]))
}

/** Signs as the fee payer. Asynchronous, so that the key can be in a KMS or an HSM. */
export interface FeePayerSigner {
  readonly pubkey: Pubkey
  /** Signs a message with Ed25519. Other sponsored submits wait for it; it fails after 5 s. */
  sign(message: Uint8Array): Promise<Uint8Array>
}

/** PKCS #8 of an Ed25519 key (RFC 8410, section 7), without its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A signer with the key in this process. Only its public key can be printed. */
export function createLocalSigner(keypair: Keypair): FeePayerSigner {
  const seed = Buffer.from(keypair.secretKey.subarray(0, 32))
  const der = Buffer.concat([PKCS8_PREFIX, seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  seed.fill(0)
  der.fill(0)
  return {
    pubkey: keyOf(keypair),
    sign: async (message) => new Uint8Array(sign(null, message, key)),
  }
}

export type LocalnetKeys = ReturnType<typeof loadLocalnetKeys>

/** The keys of a localnet: Solana CLI JSON files in `DATA_DIR/keys`. Creates missing ones. */
export function loadLocalnetKeys(dataDir: string) {
  const load = (name: string): Keypair => loadOrCreateKeypair(join(dataDir, 'keys', `${name}.json`))
  return {
    feePayer: load('fee-payer'),
    registryAdmin: load('registry-admin'),
    reputationReporter: load('reputation-reporter'),
    usdcMint: load('usdc-mint'),
    usdcMintAuthority: load('usdc-mint-authority'),
    faucet: load('faucet'),
    /** Issues the credentials of sample agents. */
    sampleAuditor: load('sample-auditor'),
    /** The wallet of a sample agent. The index starts at 0. */
    sampleAgent: (index: number): Keypair =>
      load(join('agents', `agent-${String(index + 1).padStart(2, '0')}`)),
  }
}

const KEY_BYTES = 32

/** A key of 32 bytes in hex (64 digits), base64 or base64url. Null for anything else. */
export function parseSecretsKey(text: string): Buffer | null {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  const key = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
  return key?.length === KEY_BYTES ? key : null
}

/** The text of a file. If it does not exist, it is created with 32 random bytes in base64url. */
function loadOrCreateSecret(path: string): string {
  if (!existsSync(path)) writeSecretFile(path, `${randomBytes(KEY_BYTES).toString('base64url')}\n`)
  return readSecretFile(path).trim()
}

/** What an HTTP header can have, and nobody can guess. */
export const isOperatorToken = (text: string): boolean => /^[\x21-\x7e]{32,}$/.test(text)

/** The token of a localnet's operator, `DATA_DIR/operator-token`. Creates a missing file. */
export function loadOrCreateOperatorToken(dataDir: string): string {
  const path = join(dataDir, 'operator-token')
  const token = loadOrCreateSecret(path)
  if (!isOperatorToken(token)) throw new OperatorError(`${path} has fewer than 32 characters: delete it`)
  return token
}

/** The key of a localnet's gateway, `DATA_DIR/keys/webhook-secrets-key`. Creates a missing file. */
export function loadOrCreateSecretsKey(dataDir: string): Buffer {
  const path = join(dataDir, 'keys', 'webhook-secrets-key')
  const key = parseSecretsKey(loadOrCreateSecret(path))
  if (key === null) throw new OperatorError(`${path} does not contain a key of 32 bytes in base64`)
  return key
}
