import { decodeAccount, registryAddresses } from '@agent-registry/program'
import type { Pubkey } from '@agent-registry/solana'
import { cachedValue } from '../platform/async/cached-value.ts'
import { withTimeout } from '../platform/async/promises.ts'
import type { Clock } from '../platform/clock.ts'
import type { LedgerCalls } from './rpc/ledger-rpc.ts'

const TIMEOUT_MS = 2_000
/** Short, so that a localnet that was just set up is not reported as missing. */
const CACHE_MS = 500

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
  const read = () =>
    withTimeout(
      TIMEOUT_MS,
      rpc.call<{ value: (Account | null)[] }>('getMultipleAccounts', [
        [program, config],
        { encoding: 'base64', commitment: 'confirmed' },
      ]),
    )
  const cached = cachedValue({
    freshMs: CACHE_MS,
    maxAgeMs: CACHE_MS,
    clock,
    load: async () => {
      const accounts = await read().catch(() => null)
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
