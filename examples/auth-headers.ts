import { readFileSync } from 'node:fs'
import bs58 from 'bs58'
import nacl from 'tweetnacl'

// auth-headers.ts KEYFILE METHOD PATH: prints the three headers of wallet authentication as options
// for curl.
const [file = '', method = '', path = ''] = process.argv.slice(2)
const secret = Uint8Array.from(JSON.parse(readFileSync(file, 'utf8')) as number[])
const pubkey = bs58.encode(nacl.sign.keyPair.fromSecretKey(secret).publicKey)
const timestamp = Math.floor(Date.now() / 1000)
const message = `service-auth:${pubkey}:${timestamp}:${method}:${path}`
const signature = bs58.encode(nacl.sign.detached(Buffer.from(message), secret))
process.stdout.write(
  `-H X-Wallet-Pubkey:${pubkey} -H X-Wallet-Signature:${signature} -H X-Wallet-Timestamp:${timestamp}\n`,
)
