import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
} from '@solana/web3.js'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAMS,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
} from '@agent-registry/solana'
import { programId } from '../ledger/registry-world.ts'
import { meta, type Parties, publicKey } from './parties.ts'

const WRITES = { isSigner: true, isWritable: true }
const NONCE = Keypair.fromSeed(new Uint8Array(32).fill(5)).publicKey
const ACCOUNT = Keypair.fromSeed(new Uint8Array(32).fill(6)).publicKey
const u64 = (value: bigint | number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const call = (program: string, data: Uint8Array, ...keys: TransactionInstruction['keys']) =>
  new TransactionInstruction({ programId: new PublicKey(program), keys, data: Buffer.from(data) })

/**
 * Instructions that take SOL from the fee payer through the System program: rows 1 to 3 and 11 of
 * the attack table.
 */
export const SYSTEM: Record<string, (feePayer: PublicKey, wallet: PublicKey) => TransactionInstruction> = {
  transfer: (from, to) => SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: 1_000_000 }),
  'transfer to itself and back': (from) =>
    SystemProgram.transfer({ fromPubkey: from, toPubkey: from, lamports: 1 }),
  'transfer with a seed': (from, to) =>
    SystemProgram.transfer({
      fromPubkey: from,
      basePubkey: from,
      toPubkey: to,
      lamports: 1,
      seed: 'x',
      programId: SystemProgram.programId,
    }),
  'create an account': (from, to) =>
    SystemProgram.createAccount({
      fromPubkey: from,
      newAccountPubkey: to,
      lamports: 1_000_000,
      space: 0,
      programId: SystemProgram.programId,
    }),
  'create an account that has lamports': (from, to) =>
    call(
      SystemProgram.programId.toBase58(),
      Buffer.concat([u32(13), u64(1), u64(0), SystemProgram.programId.toBytes()]),
      meta(to, WRITES),
      meta(from, WRITES),
    ),
  'allocate the fee payer': (from) => SystemProgram.allocate({ accountPubkey: from, space: 8 }),
  'assign the fee payer': (from) =>
    SystemProgram.assign({ accountPubkey: from, programId: publicKey(programId) }),
  'withdraw from a nonce account': (from, to) =>
    SystemProgram.nonceWithdraw({
      noncePubkey: NONCE,
      authorizedPubkey: from,
      toPubkey: to,
      lamports: 1,
    }),
  'take a nonce account over': (from, to) =>
    SystemProgram.nonceAuthorize({ noncePubkey: NONCE, authorizedPubkey: from, newAuthorizedPubkey: to }),
  'advance a nonce': (_, wallet) =>
    SystemProgram.nonceAdvance({ noncePubkey: NONCE, authorizedPubkey: wallet }),
}

/** SPL Token instructions by their first byte, with the fee payer as authority: rows 4, 5 and 7. */
export const TOKEN: Record<
  string,
  (account: PublicKey, other: PublicKey) => [number[] | Buffer, PublicKey[]]
> = {
  transfer: (account, other) => [Buffer.concat([Buffer.from([3]), u64(1)]), [account, other]],
  approve: (account, other) => [Buffer.concat([Buffer.from([4]), u64(1)]), [account, other]],
  'set the authority': (account, other) => [
    Buffer.concat([Buffer.from([6, 2, 1]), other.toBytes()]),
    [account],
  ],
  'mint to': (account, other) => [Buffer.concat([Buffer.from([7]), u64(1)]), [other, account]],
  burn: (account, other) => [Buffer.concat([Buffer.from([8]), u64(1)]), [account, other]],
  'close an account': (account, other) => [[9], [account, other]],
  freeze: (account, other) => [[10], [account, other]],
  'withdraw excess lamports': (account, other) => [[38], [account, other]],
  batch: (account, other) => [
    [255, 3, 1, 9],
    [account, other],
  ],
}

export const token = (program: string, kind: keyof typeof TOKEN, { feePayer, wallet }: Parties) => {
  const [data, accounts] = TOKEN[kind]?.(ACCOUNT, wallet.publicKey) ?? [[], []]
  const writable = accounts.map((each) => meta(each, { isWritable: true }))
  return call(program, Uint8Array.from(data), ...writable, meta(feePayer, { isSigner: true }))
}

const associated = (data: number[], { feePayer, wallet }: Parties) =>
  call(
    ASSOCIATED_TOKEN_PROGRAM,
    Uint8Array.from(data),
    meta(feePayer, WRITES),
    meta(ACCOUNT, { isWritable: true }),
    meta(wallet.publicKey),
    meta(ACCOUNT),
    meta(SystemProgram.programId),
    meta(TOKEN_PROGRAM),
  )

const loader = (kind: number, { feePayer, wallet }: Parties, ...more: TransactionInstruction['keys']) =>
  call(
    UPGRADEABLE_LOADER,
    u32(kind),
    meta(ACCOUNT, { isWritable: true }),
    meta(wallet.publicKey, { isWritable: true }),
    meta(feePayer, { isSigner: true }),
    ...more,
  )

export const OTHER_PROGRAMS: Record<string, (parties: Parties) => TransactionInstruction> = {
  'create a token account': (p) => associated([0], p),
  'create a token account, idempotently': (p) => associated([1], p),
  'recover a nested token account': (p) => associated([2], p),
  'create a lookup table': ({ feePayer }) =>
    AddressLookupTableProgram.createLookupTable({
      authority: publicKey(feePayer),
      payer: publicKey(feePayer),
      recentSlot: 1,
    })[0],
  'close a lookup table': ({ feePayer, wallet }) =>
    AddressLookupTableProgram.closeLookupTable({
      lookupTable: ACCOUNT,
      authority: publicKey(feePayer),
      recipient: wallet.publicKey,
    }),
  'close a program': (p) => loader(5, p),
  'upgrade a program and spill': (p) => loader(3, p, meta(ACCOUNT)),
  'extend a program': (p) => loader(6, p),
  'a memo that the fee payer signs': ({ feePayer }) =>
    call(MEMO_PROGRAMS[0] ?? '', Buffer.from('paid'), meta(feePayer, { isSigner: true })),
  'a write of Lighthouse': ({ feePayer }) =>
    call(LIGHTHOUSE_PROGRAM, Uint8Array.from([0, 1, 2]), meta(feePayer, WRITES)),
  'a close of Lighthouse': ({ feePayer }) =>
    call(LIGHTHOUSE_PROGRAM, Uint8Array.from([1]), meta(feePayer, WRITES)),
}

export const BUDGET: Record<string, (parties: Parties) => TransactionInstruction> = {
  'a dearer price': () => ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2n ** 63n }),
  'a higher limit': () => ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 }),
  'a heap': () => ComputeBudgetProgram.requestHeapFrame({ bytes: 256 * 1024 }),
}
