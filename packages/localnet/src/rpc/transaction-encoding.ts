import bs58 from 'bs58'
import { isStaticWritable, type Message, parseTransaction } from '@agent-registry/solana'
import type { TransactionRecord } from '../bank/transaction-record.ts'
import type { Config } from './params.ts'
import { invalidParams, RpcError } from './rpc-error.ts'

const ENCODINGS = ['json', 'base58', 'base64', 'binary', 'jsonParsed'] as const

export type TransactionEncoding = ReturnType<typeof transactionEncoding>

export function transactionEncoding(config: Config) {
  const encoding = config.choice('encoding', ENCODINGS) ?? 'json'
  if (encoding === 'jsonParsed') {
    throw invalidParams(
      'Invalid params: encoding jsonParsed is not supported for transactions by this node; use json or base64',
    )
  }
  return { encoding, maxVersion: config.integer('maxSupportedTransactionVersion') }
}

/** Throws -32015 if the client does not support the version of the transaction. */
export function encodeTransaction(
  { wire, meta }: TransactionRecord,
  { encoding, maxVersion }: TransactionEncoding,
): object {
  const { message, signatures } = parseTransaction(wire)
  const transaction =
    encoding === 'json' ? { signatures, message: encodeMessage(message) } : encodeBytes(wire, encoding)
  return { transaction, meta, ...versionOf(message, maxVersion) }
}

/**
 * Encodes the detail `accounts` of getBlock, without instructions. Throws -32015 if the client does
 * not support the version of the transaction.
 */
export function encodeTransactionAccounts(
  { wire, keys, meta: fullMeta }: TransactionRecord,
  { maxVersion }: TransactionEncoding,
): object {
  const { message, signatures } = parseTransaction(wire)
  const accountKeys = keys.map((pubkey, index) => {
    const isStatic = index < message.staticKeys.length
    return {
      pubkey,
      signer: index < message.requiredSignatures,
      writable: isStatic
        ? isStaticWritable(message, index)
        : fullMeta.loadedAddresses.writable.includes(pubkey),
      source: isStatic ? 'transaction' : 'lookupTable',
    }
  })
  const { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = fullMeta
  const meta = { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances }
  return { transaction: { signatures, accountKeys }, meta, ...versionOf(message, maxVersion) }
}

function versionOf({ version }: Message, maxVersion: number | undefined): { version?: Message['version'] } {
  if (maxVersion !== undefined) return { version }
  if (version === 'legacy') return {}
  throw new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  )
}

function encodeBytes(wire: Uint8Array, encoding: TransactionEncoding['encoding']): unknown {
  if (encoding === 'binary') return bs58.encode(wire)
  const text = encoding === 'base58' ? bs58.encode(wire) : Buffer.from(wire).toString('base64')
  return [text, encoding]
}

function encodeMessage(message: Message): object {
  const addressTableLookups = message.lookups.map(({ table, writable, readonly }) => ({
    accountKey: table,
    writableIndexes: [...writable],
    readonlyIndexes: [...readonly],
  }))
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
    addressTableLookups: message.version === 'legacy' ? undefined : addressTableLookups,
  }
}
