import bs58 from 'bs58'
import { isStaticWritable, type Message, parseTransaction } from '@agent-registry/solana'
import type { TransactionRecord } from '../bank/transaction-record.ts'
import type { Config } from './params.ts'
import { invalidParams, unsupportedVersion } from './rpc-error.ts'

const ENCODINGS = ['json', 'base58', 'base64', 'binary', 'jsonParsed'] as const

export interface TransactionEncoding {
  readonly encoding: Exclude<(typeof ENCODINGS)[number], 'jsonParsed'>
  readonly maxVersion: number | undefined
}

export function transactionEncoding(config: Config): TransactionEncoding {
  const encoding = config.choice('encoding', ENCODINGS) ?? 'json'
  if (encoding === 'jsonParsed') {
    throw invalidParams(
      'Invalid params: encoding jsonParsed is not supported for transactions by this node; use json or base64',
    )
  }
  return { encoding, maxVersion: config.integer('maxSupportedTransactionVersion') }
}

export interface EncodedTransaction {
  readonly transaction: unknown
  readonly meta: unknown
  readonly version?: 'legacy' | number
}

/** @throws -32015 when the client does not say that it knows the transaction's version */
export function encodeTransaction(
  { wire, meta }: TransactionRecord,
  { encoding, maxVersion }: TransactionEncoding,
): EncodedTransaction {
  const { message, signatures } = parseTransaction(wire)
  if (message.version !== 'legacy' && maxVersion === undefined) throw unsupportedVersion(message.version)
  return {
    transaction:
      encoding === 'json' ? { signatures, message: encodeMessage(message) } : encodeBytes(wire, encoding),
    meta,
    ...(maxVersion === undefined ? {} : { version: message.version }),
  }
}

function encodeBytes(wire: Uint8Array, encoding: 'base58' | 'base64' | 'binary'): unknown {
  if (encoding === 'binary') return bs58.encode(wire)
  return encoding === 'base58'
    ? [bs58.encode(wire), encoding]
    : [Buffer.from(wire).toString('base64'), encoding]
}

function encodeMessage(message: Message): unknown {
  return {
    header: {
      numRequiredSignatures: message.requiredSignatures,
      numReadonlySignedAccounts: message.readonlySigned,
      numReadonlyUnsignedAccounts: message.readonlyUnsigned,
    },
    accountKeys: message.staticKeys,
    recentBlockhash: message.blockhash,
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex,
      accounts: [...accounts],
      data: bs58.encode(data),
      stackHeight: 1,
    })),
    ...(message.version === 'legacy'
      ? {}
      : {
          addressTableLookups: message.lookups.map(({ table, writable, readonly }) => ({
            accountKey: table,
            writableIndexes: [...writable],
            readonlyIndexes: [...readonly],
          })),
        }),
  }
}

/** The `accounts` detail of getBlock: which accounts were touched and what it cost, without instructions. */
export function encodeTransactionAccounts(
  { wire, keys, meta }: TransactionRecord,
  maxVersion: number | undefined,
): unknown {
  const { message, signatures } = parseTransaction(wire)
  if (message.version !== 'legacy' && maxVersion === undefined) throw unsupportedVersion(message.version)
  const {
    err,
    status,
    fee,
    preBalances,
    postBalances,
    preTokenBalances,
    postTokenBalances,
    loadedAddresses,
  } = meta
  const accountKeys = keys.map((pubkey, index) => {
    const isStatic = index < message.staticKeys.length
    return {
      pubkey,
      signer: index < message.requiredSignatures,
      writable: isStatic ? isStaticWritable(message, index) : loadedAddresses.writable.includes(pubkey),
      source: isStatic ? 'transaction' : 'lookupTable',
    }
  })
  return {
    transaction: { signatures, accountKeys },
    meta: { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances },
    ...(maxVersion === undefined ? {} : { version: message.version }),
  }
}
