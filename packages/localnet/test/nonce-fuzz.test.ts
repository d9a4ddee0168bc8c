import {
  Keypair,
  NonceAccount,
  type PublicKey,
  SystemProgram,
  SYSVAR_RECENT_BLOCKHASHES_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js'
import * as fc from '../../../test/support/property.ts'
import { expect, it } from 'vitest'
import { startTestLedger, type TestLedger } from './ledger.ts'

interface Raw {
  kind: number
  accounts: { key: number; isWritable: boolean }[]
  lamports: bigint
}

interface Step {
  named: string[]
  raw: Raw[]
  isDurable: boolean
  slots: number
}

const LAMPORTS = 2_000_000

function builders(payer: PublicKey, noncePubkey: PublicKey, other: PublicKey) {
  const nonce = { noncePubkey, authorizedPubkey: payer }
  const create = { ...nonce, fromPubkey: payer, lamports: LAMPORTS }
  const withdraw = (lamports: number) => SystemProgram.nonceWithdraw({ ...nonce, toPubkey: payer, lamports })
  return {
    create: () => SystemProgram.createNonceAccount(create),
    advance: () => SystemProgram.nonceAdvance(nonce),
    withdrawSome: () => withdraw(1000),
    withdrawAll: () => withdraw(LAMPORTS),
    authorize: () => SystemProgram.nonceAuthorize({ ...nonce, newAuthorizedPubkey: other }),
    authorizeBack: () =>
      SystemProgram.nonceAuthorize({ ...nonce, authorizedPubkey: other, newAuthorizedPubkey: payer }),
    pay: () => SystemProgram.transfer({ fromPubkey: payer, toPubkey: noncePubkey, lamports: 5 }),
    payTooMuch: () => SystemProgram.transfer({ fromPubkey: payer, toPubkey: other, lamports: 1e15 }),
  }
}

function rawInstruction({ kind, accounts, lamports }: Raw, keys: PublicKey[]): TransactionInstruction {
  const data = Buffer.alloc(52)
  data.writeUInt32LE(kind)
  data.writeBigUInt64LE(lamports, 4)
  const metas = accounts.flatMap(({ key, isWritable }) => {
    const pubkey = keys[key]
    return pubkey === undefined ? [] : [{ pubkey, isSigner: key < 3, isWritable }]
  })
  return new TransactionInstruction({ programId: SystemProgram.programId, keys: metas, data })
}

/** Simulates and sends the step. Returns whether it landed. */
async function run(ledger: TestLedger, signers: [Keypair, Keypair, Keypair], step: Step): Promise<boolean> {
  const { connection } = ledger
  const [payer, nonce, other] = signers.map((each) => each.publicKey) as [PublicKey, PublicKey, PublicKey]
  const build = builders(payer, nonce, other)
  const transaction = new Transaction({ feePayer: payer })
  const info = await connection.getAccountInfo(nonce, 'processed')
  const isDurable = step.isDurable && info?.data.length === 80
  if (isDurable) transaction.add(build.advance())
  for (const name of step.named) transaction.add(build[name as keyof typeof build]())
  const keys = [payer, nonce, other, SYSVAR_RECENT_BLOCKHASHES_PUBKEY, SYSVAR_RENT_PUBKEY]
  for (const each of step.raw) transaction.add(rawInstruction(each, keys))
  transaction.recentBlockhash = isDurable
    ? NonceAccount.fromAccountData(info.data).nonce
    : (await connection.getLatestBlockhash('processed')).blockhash
  const { accountKeys, header } = transaction.compileMessage()
  const required = accountKeys.slice(0, header.numRequiredSignatures)
  transaction.sign(...signers.filter((each) => required.some((key) => key.equals(each.publicKey))))
  const wire = transaction.serialize().toString('base64')
  const config = { encoding: 'base64', commitment: 'processed', skipPreflight: true }
  const simulated = await ledger.rpc('simulateTransaction', [wire, config])
  const before = (await connection.getSupply()).value.total
  const { result: signature } = await ledger.rpc('sendTransaction', [wire, config])
  ledger.net.stepSlot()
  const status = (await connection.getSignatureStatus(String(signature))).value
  const { err } = (simulated.result as { value: { err: unknown } }).value
  const isRefused = status === null
  expect(isRefused && err !== null ? 'refused' : err).toEqual(isRefused ? 'refused' : status.err)
  const fee = isRefused ? 0 : 5000 * required.length
  expect((await connection.getSupply()).value.total).toBe(before - fee)
  const after = await connection.getAccountInfo(nonce)
  const isSpent = (data: Buffer): boolean =>
    data.length !== 80 || NonceAccount.fromAccountData(data).nonce !== transaction.recentBlockhash
  expect(!isDurable || isRefused || after === null || isSpent(after.data)).toBe(true)
  ledger.net.stepSlot(step.slots)
  return !isRefused
}

it('any nonce instructions have the result of their simulation, cost only fees and never end the ledger', async () => {
  await using ledger = await startTestLedger()
  const names = Object.keys(
    builders(SystemProgram.programId, SystemProgram.programId, SystemProgram.programId),
  )
  const raw = fc.record({
    kind: fc.nat(13),
    accounts: fc.array(fc.record({ key: fc.nat(4), isWritable: fc.boolean() }), { maxLength: 5 }),
    lamports: fc.constantFrom(0n, 1n, 2_000_000n),
  })
  const step = fc.record({
    named: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }),
    raw: fc.oneof(fc.constant<Raw[]>([]), fc.array(raw, { maxLength: 2 })),
    isDurable: fc.boolean(),
    slots: fc.constantFrom(0, 0, 1, 160),
  })
  let landed = 0
  const check = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
    const signers: [Keypair, Keypair, Keypair] = [
      await ledger.wallet(),
      Keypair.generate(),
      Keypair.generate(),
    ]
    const first = { named: ['create'], raw: [], isDurable: false, slots: 1 }
    for (const each of [first, ...steps]) if (await run(ledger, signers, each)) landed += 1
  })
  await fc.assert(check, { numRuns: 15 })
  expect(landed).toBeGreaterThan(20)
})
