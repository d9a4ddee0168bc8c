import type { FaultControls } from '../../faults/fault-controls.ts'
import type { RpcMethods } from '../method.ts'
import { asConfig, asInteger, asPubkey, asSignature, asText, type Config, listOf } from '../params.ts'
import { invalidParams } from '../rpc-error.ts'

const MAX_WARP_SECONDS = 10 * 365 * 86_400
const MAX_RENT = 1_000_000
const MAX_LIST = 1000

/** Methods that only this ledger has. */
export const localnetMethods: RpcMethods = {
  /** (owner, amount in base units as an integer or decimal string) -> signature */
  localnet_mintUsdc: ({ faucet }, params) => {
    const owner = params.required(0, 'owner', asPubkey)
    return faucet.mintUsdc(owner, params.required(1, 'amount', asAmount))
  },
  /** (seconds) -> the time of the ledger after it, in Unix seconds */
  localnet_warp: ({ bank }, params) => {
    const seconds = params.required(0, 'seconds', asInteger)
    if (seconds > MAX_WARP_SECONDS) throw invalidParams(`Invalid params: seconds; max ${MAX_WARP_SECONDS}`)
    bank.warp(seconds)
    return bank.slotTime
  },
  /** (lamports per byte) -> the rent of an account without data, in lamports */
  localnet_setRent: ({ bank, vm }, params) => {
    const lamportsPerByte = params.required(0, 'lamportsPerByte', asInteger)
    if (lamportsPerByte > MAX_RENT) throw invalidParams(`Invalid params: lamportsPerByte; max ${MAX_RENT}`)
    bank.setRent(lamportsPerByte)
    return vm.minimumBalanceForRentExemption(0)
  },
  /** (object with `kind` and the fields of this kind) -> the result, or null */
  localnet_fault: ({ faults }, params) => {
    const config = params.required(0, 'fault', asConfig)
    const kind = config.choice('kind', Object.keys(FAULTS)) ?? ''
    const inject = FAULTS[kind]
    if (inject === undefined)
      throw invalidParams(`Invalid params: kind must be one of ${Object.keys(FAULTS).join(', ')}`)
    return inject(faults, config)
  },
}

function asAmount(value: unknown, name: string): bigint {
  const isDecimal = typeof value === 'string' && /^\d{1,20}$/.test(value)
  const units = isDecimal ? BigInt(value) : BigInt(asInteger(value, name))
  if (units >= 2n ** 64n) throw invalidParams(`Invalid params: ${name} must fit in 64 bits`)
  return units
}

const FAULTS: Readonly<Record<string, (faults: FaultControls, config: Config) => unknown>> = {
  dropSockets: (faults) => faults.dropSockets(),
  refuseSockets: (faults) => void (faults.refuseSockets = true),
  muteSockets: (faults) => void (faults.muteSockets = true),
  http: (faults, config) => {
    const status = config.integer('status')
    if (status !== undefined && (status < 400 || status > 599))
      throw invalidParams('Invalid params: status must be from 400 to 599')
    faults.http({
      methods: config.optional('methods', listOf(asText, MAX_LIST)),
      count: config.integer('count'),
      delayMs: config.integer('delayMs'),
      status,
      retryAfter: config.integer('retryAfter'),
    })
  },
  hideSignatures: (faults, config) =>
    faults.hideSignatures({
      signatures: config.optional('signatures', listOf(asSignature, MAX_LIST)),
      fromSlot: config.integer('fromSlot'),
      toSlot: config.integer('toSlot'),
      forSlots: config.integer('forSlots'),
    }),
  fork: (faults, config) => faults.fork({ slots: config.integer('slots'), reland: config.flag('reland') }),
  lag: (faults, config) => faults.lag(config.integer('slots') ?? 0),
  clear: (faults) => faults.clear(),
}
