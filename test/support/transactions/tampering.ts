import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js'
import {
  assertion,
  type Draft,
  type MessageFormat,
  lighthouse,
  signChanged,
  decompile,
} from './changed-transactions.ts'
import { altered, meta, type Parties, publicKey } from './parties.ts'

/** Signs the prepared message, then changes the bytes of the transaction. */
function signedBytes(
  { wallet }: Parties,
  serializedTx: string,
  change: (bytes: Buffer) => Buffer = (bytes) => bytes,
): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
  transaction.sign([wallet])
  return change(Buffer.from(transaction.serialize())).toString('base64')
}

interface Tampering {
  readonly name: string
  readonly signedTx: (parties: Parties, serializedTx: string) => string
  readonly error: RegExp
}

const MISMATCH = /^Signed transaction does not match the prepared transaction$/
const INVALID = /^Invalid signed transaction$/
const UNSIGNED = /^Missing or invalid signature for \w+$/
const FEE_PAYER_SIGNED =
  /^The service signs as the fee payer \w+\. Leave the 64 bytes of its signature zero\.$/

const changing = (
  name: string,
  change: (draft: Draft, parties: Parties) => Partial<Draft>,
  form: MessageFormat = {},
  error = MISMATCH,
): Tampering => ({
  name,
  error,
  signedTx: (parties, tx) =>
    signChanged(tx, [parties.wallet, parties.stranger], (draft) => change(draft, parties), form),
})
const appending = (
  name: string,
  ...build: ((parties: Parties, draft: Draft) => TransactionInstruction)[]
): Tampering =>
  changing(name, (draft, parties) => ({
    instructions: [...draft.instructions, ...build.map((each) => each(parties, draft))],
  }))
const replacing = (
  name: string,
  at: number,
  replace: (was: TransactionInstruction, parties: Parties) => TransactionInstruction,
): Tampering =>
  changing(name, ({ instructions }, parties) => ({
    instructions: instructions.map((each, i) => (i === at ? replace(each, parties) : each)),
  }))
const onBytes = (name: string, error: RegExp, change: (bytes: Buffer) => Buffer): Tampering => ({
  name,
  error,
  signedTx: (parties, tx) => signedBytes(parties, tx, change),
})

const UNITS = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units })
const PRICE = (microLamports: number | bigint) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports })
const theft = ({ feePayer, wallet }: Parties) =>
  SystemProgram.transfer({ fromPubkey: publicKey(feePayer), toPubkey: wallet.publicKey, lamports: 1 })
const WRITES = { isSigner: true, isWritable: true }
const TABLE_KEY = Keypair.fromSeed(new Uint8Array(32).fill(8)).publicKey

export function tableOf(addresses: PublicKey[], key = TABLE_KEY): AddressLookupTableAccount {
  const extended = { lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 }
  const state = { deactivationSlot: 2n ** 64n - 1n, ...extended, addresses }
  return new AddressLookupTableAccount({ key, state })
}

const byte = (bytes: Buffer, at: number, value: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[at] = value
  return copy
}
/** Offset in a transaction with two signatures. */
const MESSAGE_AT = 1 + 2 * 64
const KEYS_AT = MESSAGE_AT + 4 + 1
/** Here is the blockhash, before the number and the program index of the first instruction. */
const endOfKeys = (bytes: Buffer): number =>
  KEYS_AT + 32 * VersionedTransaction.deserialize(bytes).message.staticAccountKeys.length

/**
 * Signed transactions that differ from the prepared one. The third instruction is the client's
 * first.
 */
export const TAMPERINGS: readonly Tampering[] = [
  appending('a System transfer from the fee payer, at the end', theft),
  changing('a System transfer from the fee payer, at the beginning', ({ instructions }, p) => ({
    instructions: [theft(p), ...instructions],
  })),
  replacing('a System transfer in the place of the instruction', 2, (_, p) => theft(p)),
  replacing('a price that is higher by one', 1, (was) =>
    PRICE(Buffer.from(was.data).readBigUInt64LE(1) + 1n),
  ),
  replacing('the highest price there is', 1, () => PRICE(2n ** 64n - 1n)),
  replacing('a limit that is higher by one', 0, (was) => UNITS(Buffer.from(was.data).readUInt32LE(1) + 1)),
  appending('a second price', () => PRICE(1)),
  appending('a heap', () => ComputeBudgetProgram.requestHeapFrame({ bytes: 64 * 1024 })),
  changing('no compute budget', ({ instructions }) => ({ instructions: instructions.slice(2) })),
  changing('no instruction but the compute budget', ({ instructions }) => ({
    instructions: instructions.slice(0, 2),
  })),
  appending('a write of Lighthouse', ({ feePayer }) => lighthouse([0, 0, 0], meta(feePayer, WRITES))),
  appending('a close of Lighthouse', ({ feePayer }) => lighthouse([1], meta(feePayer, WRITES))),
  appending('an unknown instruction of Lighthouse', () => lighthouse([16, 0, 0])),
  appending('an empty instruction of Lighthouse', () => lighthouse([])),
  appending('an assertion with a new writable account', ({ stranger }) =>
    assertion(meta(stranger.publicKey, { isWritable: true })),
  ),
  appending('an assertion with a new signer', ({ stranger }) =>
    assertion(meta(stranger.publicKey, { isSigner: true })),
  ),
  appending('nine assertions', ...Array.from({ length: 9 }, () => () => assertion())),
  changing('a nonce that is advanced first', ({ instructions }, { wallet }) => ({
    instructions: [
      SystemProgram.nonceAdvance({ noncePubkey: TABLE_KEY, authorizedPubkey: wallet.publicKey }),
      ...instructions,
    ],
  })),
  changing('another blockhash', () => ({ blockhash: TABLE_KEY.toBase58() })),
  changing('another payer, and the fee payer as a signer beside it', (_, { wallet }) => ({
    payer: wallet.publicKey,
  })),
  changing('a legacy message', () => ({}), { legacy: true }),
  {
    name: 'an account through a lookup table',
    error: MISMATCH,
    signedTx: ({ wallet }, tx) => {
      const unsigned = decompile(tx).instructions.flatMap(({ keys }) => keys.filter((each) => !each.isSigner))
      const addresses = unsigned.map((each) => each.pubkey)
      return signChanged(tx, [wallet], () => ({}), { tables: [tableOf(addresses)] })
    },
  },
  {
    name: 'the fee payer through a lookup table, beside the static one',
    error: MISMATCH,
    signedTx: (parties, tx) => {
      const lookup = [Buffer.from([1]), publicKey(parties.feePayer).toBytes(), Buffer.from([1, 0, 0])]
      const bytes = Buffer.concat([Buffer.from(tx, 'base64').subarray(0, -1), ...lookup])
      return signedBytes(parties, bytes.toString('base64'))
    },
  },
  replacing('the fee payer as an account more', 2, (was, { feePayer }) =>
    altered(was, { keys: (keys) => [...keys, meta(feePayer, WRITES)] }),
  ),
  replacing('the stranger as an account more', 2, (was, { stranger }) =>
    altered(was, { keys: (keys) => [...keys, meta(stranger.publicKey)] }),
  ),
  replacing('an account less', 2, (was) => altered(was, { keys: (keys) => keys.slice(0, -1) })),
  replacing('accounts in another order', 2, (was) => altered(was, { keys: (keys) => keys.toReversed() })),
  replacing('an account that becomes writable', 2, (was) =>
    altered(was, { keys: (keys) => keys.map((each) => ({ ...each, isWritable: true })) }),
  ),
  replacing('a byte more of data', 2, (was) =>
    altered(was, { data: Buffer.concat([was.data, Buffer.from([0])]) }),
  ),
  replacing('another byte of data', 2, (was) =>
    altered(was, { data: byte(was.data, was.data.length - 1, 0x5a) }),
  ),
  replacing('a signer more', 2, (was, { stranger }) =>
    altered(was, { keys: (keys) => [...keys, meta(stranger.publicKey, { isSigner: true })] }),
  ),
  changing('the instruction twice', ({ instructions }) => ({
    instructions: [...instructions, ...instructions.slice(2, 3)],
  })),
  { name: 'nobody’s signature', error: UNSIGNED, signedTx: (_, tx) => tx },
  onBytes('a signature with a wrong bit', UNSIGNED, (bytes) => byte(bytes, 70, (bytes[70] ?? 0) ^ 1)),
  onBytes('a signature of zeros and ones', UNSIGNED, (bytes) =>
    Buffer.concat([bytes.subarray(0, 65), Buffer.alloc(64, 1), bytes.subarray(MESSAGE_AT)]),
  ),
  onBytes('something in the place of the fee payer’s signature', FEE_PAYER_SIGNED, (bytes) =>
    byte(bytes, 1, 1),
  ),
  onBytes('the wallet’s signature in the place of the fee payer’s too', FEE_PAYER_SIGNED, (bytes) =>
    Buffer.concat([bytes.subarray(0, 1), bytes.subarray(65, 129), bytes.subarray(65)]),
  ),
  onBytes('a signature less', INVALID, (bytes) => Buffer.concat([Buffer.from([1]), bytes.subarray(65)])),
  onBytes('a signature more', INVALID, (bytes) =>
    Buffer.concat([Buffer.from([3]), Buffer.alloc(64), bytes.subarray(1)]),
  ),
  onBytes('bytes behind the end', INVALID, (bytes) => Buffer.concat([bytes, Buffer.from([0])])),
  onBytes('an end that is missing', INVALID, (bytes) => bytes.subarray(0, -1)),
  onBytes('a message of version 1', INVALID, (bytes) => byte(bytes, MESSAGE_AT, 0x81)),
  onBytes('a transaction of version 1', /^Transaction version 1 is not supported/, (bytes) =>
    Buffer.concat([byte(bytes.subarray(MESSAGE_AT), 0, 0x81), bytes.subarray(1, MESSAGE_AT)]),
  ),
  onBytes('a program index out of range', INVALID, (bytes) => byte(bytes, endOfKeys(bytes) + 33, 41)),
  onBytes('a fee payer that is called as a program', INVALID, (bytes) =>
    byte(bytes, endOfKeys(bytes) + 33, 0),
  ),
  onBytes('the fee payer’s key twice', MISMATCH, (bytes) => {
    const copy = Buffer.from(bytes)
    copy.set(bytes.subarray(KEYS_AT, KEYS_AT + 32), endOfKeys(bytes) - 32)
    return copy
  }),
]
