import { encodeBase58, type Message, parseTransaction, type Pubkey } from '@agent-registry/solana'
import type { TransactionRecord } from '../bank/execute.ts'
import { writableKeys } from '../bank/account-keys.ts'
import type { Config } from './params.ts'
import { RpcError } from './rpc-error.ts'

const ENCODINGS = ['json', 'base58', 'base64', 'binary', 'jsonParsed'] as const

type TransactionEncoding = ReturnType<typeof transactionEncoding>

export function transactionEncoding(config: Config) {
  const encoding = config.choice('encoding', ENCODINGS) ?? 'json'
  return { encoding, maxVersion: config.integer('maxSupportedTransactionVersion') }
}

/** Throws -32015 if the client does not support the version of the transaction. */
export function encodeTransaction(
  record: TransactionRecord,
  { encoding, maxVersion }: TransactionEncoding,
): object {
  const { wire, meta } = record
  const { message, signatures } = parseTransaction(wire)
  const version = versionOf(message, maxVersion)
  if (encoding === 'jsonParsed') return { ...encodeParsed(record, message, signatures), ...version }
  const transaction =
    encoding === 'json' ? { signatures, message: encodeMessage(message) } : encodeBytes(wire, encoding)
  return { transaction, meta, ...version }
}

/**
 * Encodes the detail `accounts` of getBlock, without instructions. Throws -32015 if the client does
 * not support the version of the transaction.
 */
export function encodeTransactionAccounts(
  record: TransactionRecord,
  { maxVersion }: TransactionEncoding,
): object {
  const { message, signatures } = parseTransaction(record.wire)
  const { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = record.meta
  const meta = { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances }
  return {
    transaction: { signatures, accountKeys: accountRoles(record, message) },
    meta,
    ...versionOf(message, maxVersion),
  }
}

/** As a node shows instructions of programs that it does not know: no program is parsed. */
function encodeParsed(record: TransactionRecord, message: Message, signatures: readonly string[]): object {
  const { loadedAddresses: _, ...meta } = record.meta
  const { innerInstructions } = meta
  return {
    transaction: {
      signatures,
      message: {
        accountKeys: accountRoles(record, message),
        recentBlockhash: message.blockhash,
        instructions: message.instructions.map(({ data, ...each }) =>
          withKeys({ ...each, data: encodeBase58(data), stackHeight: 1 }, record.keys),
        ),
        addressTableLookups: encodeLookups(message),
        transactionConfig: encodeConfig(message),
      },
    },
    meta: { ...meta, innerInstructions: innerWithKeys(innerInstructions, record.keys) },
  }
}

interface CompiledInstruction {
  readonly programIdIndex: number
  readonly accounts: ArrayLike<number>
  /** Base-58. */
  readonly data: string
  readonly stackHeight: number
}

/** An instruction with the keys of its program and accounts in place of their numbers. */
function withKeys(
  { programIdIndex, accounts, data, stackHeight }: CompiledInstruction,
  keys: readonly Pubkey[],
): object {
  const accountKeys = Array.from(accounts, (index) => keys[index])
  return { programId: keys[programIdIndex], accounts: accountKeys, data, stackHeight }
}

/** The inner instructions of a transaction, as simulations and `jsonParsed` show them. */
export function innerWithKeys(
  groups: readonly { readonly index: number; readonly instructions: readonly CompiledInstruction[] }[],
  keys: readonly Pubkey[],
): object[] {
  return groups.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((each) => withKeys(each, keys)),
  }))
}

/** The accounts of a transaction with their roles, as in `jsonParsed` and the detail `accounts`. */
function accountRoles({ keys, meta }: TransactionRecord, message: Message): object[] {
  const { staticKeys, requiredSignatures } = message
  const writable = writableKeys(message, meta.loadedAddresses)
  return keys.map((pubkey, index) => ({
    pubkey,
    signer: index < requiredSignatures,
    writable: writable.has(pubkey),
    source: index < staticKeys.length ? 'transaction' : 'lookupTable',
  }))
}

function versionOf({ version }: Message, maxVersion: number | undefined): { version?: Message['version'] } {
  if (version === 'legacy') return maxVersion === undefined ? {} : { version }
  if (version <= (maxVersion ?? -1)) return { version }
  throw new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  )
}

function encodeBytes(wire: Uint8Array, encoding: TransactionEncoding['encoding']): unknown {
  if (encoding === 'binary') return encodeBase58(wire)
  const text = encoding === 'base58' ? encodeBase58(wire) : Buffer.from(wire).toString('base64')
  return [text, encoding]
}

/** Only version 0 has lookup tables. */
function encodeLookups({ version, lookups }: Message): object[] | undefined {
  if (version !== 0) return undefined
  return lookups.map(({ table, writable, readonly }) => ({
    accountKey: table,
    writableIndexes: [...writable],
    readonlyIndexes: [...readonly],
  }))
}

/** Only version 1 has a configuration. */
function encodeConfig({ config }: Message): object | undefined {
  if (config === null) return undefined
  return { ...config, priorityFee: config.priorityFee === null ? null : Number(config.priorityFee) }
}

function encodeMessage(message: Message): object {
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
      data: encodeBase58(data),
      stackHeight: 1,
    })),
    addressTableLookups: encodeLookups(message),
    transactionConfig: encodeConfig(message),
  }
}
