import { decodeNonceAccount } from '../../bank/durable-nonce.ts'
import type { Account } from '../../vm/account.ts'
import { DataReader, NotParsableError } from '../data-reader.ts'

const LOOKUP_TABLE_HEADER_BYTES = 56
const LOADER_STATES = ['uninitialized', 'buffer', 'program', 'programData'] as const

/** Parses a nonce account. Other accounts of the System program are not parsed. */
export function parseNonce(account: Account): object {
  const nonce = decodeNonceAccount(account)
  if (nonce === null) throw new NotParsableError('not an initialized nonce account')
  const feeCalculator = { lamportsPerSignature: nonce.lamportsPerSignature.toString() }
  return {
    type: 'initialized',
    info: { authority: nonce.authority, blockhash: nonce.nonce, feeCalculator },
  }
}

/** Parses an address lookup table. */
export function parseLookupTable({ data }: Account): object {
  const { u32, u64, u8, optionalKey } = new DataReader(data)
  if (data.length < LOOKUP_TABLE_HEADER_BYTES) throw new NotParsableError('no lookup table')
  if (u32() === 0) return { type: 'uninitialized' }
  const [deactivationSlot, lastExtendedSlot, lastExtendedSlotStartIndex] = [u64(), u64(), u8()]
  const authority = optionalKey()
  const addresses = new DataReader(data.subarray(LOOKUP_TABLE_HEADER_BYTES))
  const info = {
    deactivationSlot: deactivationSlot.toString(),
    lastExtendedSlot: lastExtendedSlot.toString(),
    lastExtendedSlotStartIndex,
    ...(authority === null ? {} : { authority }),
    addresses: addresses.list(addresses.key),
  }
  return { type: 'lookupTable', info }
}

/** Parses an account of the upgradeable loader: a program, its data or a buffer. */
export function parseUpgradeableLoader({ data }: Account): object {
  const reader = new DataReader(data)
  const type = LOADER_STATES[reader.u32()]
  if (type === undefined) throw new NotParsableError('unknown state')
  if (type === 'uninitialized') return { type }
  if (type === 'program') return { type, info: { programData: reader.key() } }
  const slot = type === 'programData' ? { slot: reader.u64() } : {}
  const authority = reader.optionalKey()
  return { type, info: { ...slot, authority, data: [reader.rest().toString('base64'), 'base64'] } }
}
