import { faultMethod } from '../../faults/fault-method.ts'
import type { RpcMethod } from '../context.ts'
import { asInteger } from '../params.ts'
import { invalidParams } from '../rpc-error.ts'

const MAX_WARP_SECONDS = 10 * 365 * 86_400

/** What only this development ledger can do. */
export const localnetMethods: Readonly<Record<string, RpcMethod>> = {
  /** (owner, amount in base units as integer or decimal string) -> signature */
  localnet_mintUsdc: ({ faucet }, params) => {
    const owner = params.pubkey(0, 'owner')
    return faucet.mintUsdc(owner, amount(params.required(1, 'amount')))
  },
  /** (seconds) -> the ledger's time afterwards, Unix seconds */
  localnet_warp: ({ bank }, params) => {
    const seconds = params.integer(0, 'seconds')
    if (seconds > MAX_WARP_SECONDS) throw invalidParams(`Invalid params: seconds; max ${MAX_WARP_SECONDS}`)
    bank.warp(seconds)
    return bank.slotTime
  },
  localnet_fault: faultMethod,
}

function amount(value: unknown): bigint {
  const isDecimal = typeof value === 'string' && /^\d{1,20}$/.test(value)
  const units = isDecimal ? BigInt(value) : BigInt(asInteger(value, 'amount'))
  if (units >= 2n ** 64n) throw invalidParams('Invalid params: amount must fit 64 bits')
  return units
}
