import { readFileSync } from 'node:fs'
import bs58 from 'bs58'
import nacl from 'tweetnacl'

// sign-tweetnacl.ts KEYFILE < prepared > signed: signs a prepared transaction with tweetnacl and
// bs58 only.
const { secretKey, publicKey } = nacl.sign.keyPair.fromSecretKey(
  Uint8Array.from(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as number[]),
)
const { id, serializedTx } = JSON.parse(readFileSync(0, 'utf8')) as { id: string; serializedTx: string }
const transaction = Buffer.from(serializedTx, 'base64')
const signers = transaction[0] ?? 0
const message = transaction.subarray(1 + 64 * signers)
// A v0 message starts with the version, three counts and the number of keys. The keys of the
// signers come first, in the order of the signatures.
const keys = Array.from({ length: signers }, (_, i) => bs58.encode(message.subarray(5 + 32 * i, 37 + 32 * i)))
transaction.set(nacl.sign.detached(message, secretKey), 1 + 64 * keys.indexOf(bs58.encode(publicKey)))
process.stdout.write(`${JSON.stringify({ id, signedTx: transaction.toString('base64') })}\n`)
