import { type CachedValue, cachedValue } from '../../platform/async/cached-value.ts'
import { withTimeout } from '../../platform/async/promises.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LedgerCalls } from './ledger-rpc.ts'
import { LedgerRpcError } from './rpc-error.ts'
import { decodeAccount, registryAddresses } from '@agent-registry/program'
import type { Pubkey } from '@agent-registry/solana'

export type LedgerProbe = ReturnType<typeof createLedgerProbe>

const TIMEOUT_MS = 2_000
const CACHE_MS = 1_000

const callOrNull = <T>(rpc: LedgerCalls, method: string, params?: unknown[]): Promise<T | null> =>
  withTimeout(TIMEOUT_MS, rpc.call<T>(method, params)).catch(() => null)

/** Ledger values for health reports. Null if the node fails or does not respond in time. */
export function createLedgerProbe(rpc: LedgerCalls, clock: Clock) {
  const cached = <Value>(load: () => Promise<Value>) =>
    cachedValue({ load, freshMs: CACHE_MS, maxAgeMs: CACHE_MS, clock })
  const slot = cached(() => callOrNull<number>(rpc, 'getSlot', [{ commitment: 'confirmed' }]))
  const balances = new Map<string, CachedValue<bigint | null>>()
  let genesisHash: string | null = null

  return {
    slot: () => slot.get(),
    /** Lamports. */
    balance: (pubkey: string) => {
      const balance =
        balances.get(pubkey) ??
        cached(async () => {
          const result = await callOrNull<{ value: number }>(rpc, 'getBalance', [
            pubkey,
            { commitment: 'confirmed' },
          ])
          return result === null ? null : BigInt(result.value)
        })
      balances.set(pubkey, balance)
      return balance.get()
    },
    genesisHash: async (): Promise<string | null> =>
      (genesisHash ??= await callOrNull<string>(rpc, 'getGenesisHash')),
  }
}

interface PerformanceSample {
  numSlots: number
  samplePeriodSecs: number
}

const MEASURE_MS = 600_000
/** About the last quarter of an hour. */
const SAMPLES = 15
/** Until a node has measured it: a new ledger has no sample in its first minute. */
export const UNMEASURED_SLOT_SECONDS = 0.4
/** More means that the ledger stood still for a part of the time. */
const MAX_SECONDS = 2

/**
 * Seconds per slot, as the node measured them lately. Clusters change the length of their slots.
 */
export function createSlotTime(rpc: LedgerCalls, clock: Clock): CachedValue<number> {
  return cachedValue({ clock, freshMs: MEASURE_MS, maxAgeMs: MEASURE_MS, load: () => measure(rpc) })
}

async function measure(rpc: LedgerCalls): Promise<number> {
  try {
    const samples = await rpc.call<PerformanceSample[]>('getRecentPerformanceSamples', [SAMPLES])
    const slots = samples.reduce((sum, { numSlots }) => sum + numSlots, 0)
    const seconds = samples.reduce((sum, { samplePeriodSecs }) => sum + samplePeriodSecs, 0)
    return slots > 0 && seconds <= slots * MAX_SECONDS ? seconds / slots : UNMEASURED_SLOT_SECONDS
  } catch (error) {
    if (error instanceof LedgerRpcError) return UNMEASURED_SLOT_SECONDS
    throw error
  }
}

/** Short, so that a localnet that was just set up is not reported as missing. */
const REGISTRY_CACHE_MS = 500

interface Account {
  owner: string
  executable: boolean
  data: [base64: string, encoding: 'base64']
}

/** What is wrong with the registry on the ledger, as texts. Null if no node responds. */
export type RegistryProbe = () => Promise<string[] | null>

/** Checks the program account and the config account. The result is cached for half a second. */
export function createRegistryProbe(rpc: LedgerCalls, program: Pubkey, clock: Clock): RegistryProbe {
  const config = registryAddresses(program).config()
  const cached = cachedValue({
    freshMs: REGISTRY_CACHE_MS,
    maxAgeMs: REGISTRY_CACHE_MS,
    clock,
    load: async () => {
      const accounts = await callOrNull<{ value: (Account | null)[] }>(rpc, 'getMultipleAccounts', [
        [program, config],
        { encoding: 'base64', commitment: 'confirmed' },
      ])
      if (accounts === null) return null
      const [programAccount = null, configAccount = null] = accounts.value
      const problem = programProblem(program, programAccount) ?? configProblem(config, configAccount, program)
      return problem === null ? [] : [problem]
    },
  })
  return () => cached.get()
}

function programProblem(program: Pubkey, account: Account | null): string | null {
  if (account === null) return `the registry program ${program} does not exist on the ledger`
  return account.executable ? null : `the account ${program} is not an executable program`
}

function configProblem(config: Pubkey, account: Account | null, program: Pubkey): string | null {
  if (account === null) return `the registry is not initialized: its config account ${config} does not exist`
  if (account.owner === program && isConfig(account)) return null
  return `the config account ${config} does not have the layout of the registry`
}

function isConfig({ data }: Account): boolean {
  try {
    return decodeAccount(Buffer.from(data[0], 'base64'))?.name === 'RegistryConfig'
  } catch {
    return false
  }
}
