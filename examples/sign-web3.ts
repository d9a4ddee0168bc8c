import { readFileSync } from 'node:fs'
import { Keypair, VersionedTransaction } from '@solana/web3.js'

// sign-web3.ts KEYFILE [INVITE_CODE] < prepared > signed: signs a prepared transaction with
// @solana/web3.js. The invite code is for sponsored registrations.
const [file = '', inviteCode] = process.argv.slice(2)
const wallet = Keypair.fromSecretKey(Uint8Array.from(JSON.parse(readFileSync(file, 'utf8')) as number[]))
const { id, serializedTx } = JSON.parse(readFileSync(0, 'utf8')) as { id: string; serializedTx: string }
const transaction = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
transaction.sign([wallet])
const signedTx = Buffer.from(transaction.serialize()).toString('base64')
const sponsored = inviteCode === undefined ? {} : { signerPubkey: wallet.publicKey.toBase58(), inviteCode }
process.stdout.write(`${JSON.stringify({ id, signedTx, ...sponsored })}\n`)
