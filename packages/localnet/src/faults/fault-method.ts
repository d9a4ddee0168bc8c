import type { RpcMethod } from '../rpc/context.ts'
import { asList, asSignature, asText, Config } from '../rpc/params.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import type { FaultControls } from './fault-controls.ts'

type Injector = (faults: FaultControls, config: Config) => unknown

const INJECTORS: Readonly<Record<string, Injector>> = {
  dropSockets: (faults) => faults.dropSockets(),
  refuseSockets: (faults) => void (faults.refuseSockets = true),
  muteSockets: (faults) => void (faults.muteSockets = true),
  http: (faults, config) => {
    const fault = {
      methods: texts(config, 'methods', asText),
      count: config.integer('count'),
      delayMs: config.integer('delayMs'),
      status: config.integer('status'),
      retryAfter: config.integer('retryAfter'),
    }
    if (fault.status !== undefined && (fault.status < 400 || fault.status > 599)) {
      throw invalidParams('Invalid params: status must be from 400 to 599')
    }
    faults.http(fault)
  },
  hideSignatures: (faults, config) =>
    faults.hideSignatures({
      signatures: texts(config, 'signatures', asSignature),
      fromSlot: config.integer('fromSlot'),
      toSlot: config.integer('toSlot'),
      forSlots: config.integer('forSlots'),
    }),
  fork: (faults, config) => {
    const slots = config.integer('slots')
    return faults.fork({ ...(slots === undefined ? {} : { slots }), reland: config.flag('reland') })
  },
  lag: (faults, config) => faults.lag(config.integer('slots') ?? 0),
  clear: (faults) => faults.clear(),
}

/** `localnet_fault`: one object, its `kind` and what the kind takes. */
export const faultMethod: RpcMethod = ({ faults }, params) => {
  const config = new Config(params.required(0, 'fault'), 'fault')
  const kind = config.choice('kind', Object.keys(INJECTORS))
  const inject = kind === undefined ? undefined : INJECTORS[kind]
  if (inject === undefined)
    throw invalidParams(`Invalid params: kind must be one of ${Object.keys(INJECTORS).join(', ')}`)
  return inject(faults, config) ?? null
}

function texts(
  config: Config,
  name: string,
  read: (value: unknown, name: string) => string,
): string[] | undefined {
  const value = config.value(name)
  return value === undefined ? undefined : asList(value, name, 1000).map((each) => read(each, name))
}
