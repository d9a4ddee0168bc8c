import type { Command } from 'commander'
import {
  encodeBase58,
  programDataAddress,
  type Pubkey,
  pubkeyFromBytes,
  UPGRADEABLE_LOADER,
} from '@agent-registry/solana'
import { readRuntime } from '../../compose/runtime-file.ts'
import { networkOf } from '../../domain/network.ts'
import { createLedgerRpc, type LedgerCalls, retryingRpc } from '../../ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../ledger/rpc/rpc-error.ts'
import { readConfig } from '../../platform/config/config.ts'
import { CommandError, type Output, outputOf } from '../output.ts'
import type { ClusterOptions } from './options.ts'
import { readFileSync } from 'node:fs'
import {
  decodeAccount,
  PROGRAM_FILE,
  type RegistryAccounts,
  registryAddresses,
  registryIdl,
} from '@agent-registry/program'

const CLUSTER_URLS: Readonly<Record<string, string>> = {
  devnet: 'https://api.devnet.solana.com',
  testnet: 'https://api.testnet.solana.com',
  'mainnet-beta': 'https://api.mainnet-beta.solana.com',
}

/** Public nodes often refuse single calls. */
const ATTEMPTS = 4

export interface Cluster {
  /** A failed call is a CommandError, except for errors with a JSON-RPC code. */
  readonly rpc: LedgerCalls
  readonly programId: Pubkey
  /** Host and port of the node. Its URL may contain an API key. */
  readonly host: string
  /** `devnet`, `testnet`, `mainnet-beta` or `localnet`. */
  readonly network: string
}

/** Runs a command on the chosen ledger. Every problem with the node becomes a CommandError. */
export async function onCluster(
  command: Command,
  work: (cluster: Cluster, output: Output) => Promise<void>,
): Promise<void> {
  try {
    await work(await openCluster(command.optsWithGlobals<ClusterOptions>()), outputOf(command))
  } catch (error) {
    if (error instanceof LedgerRpcError) throw new CommandError(`The node refused: ${error.message}`)
    throw error
  }
}

async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { config } = readConfig(process.env)
  const url =
    options.url === undefined
      ? (config.ledger.rpcUrls?.[0] ?? readRuntime(config.dataDir)?.rpcUrl)
      : (CLUSTER_URLS[options.url] ?? options.url)
  if (url === undefined)
    throw new CommandError(
      'No ledger is set. Set --url or SOLANA_RPC_URL, or start a localnet with npm start',
    )
  const { protocol, host } = URL.parse(url) ?? {}
  if (host === undefined || (protocol !== 'http:' && protocol !== 'https:'))
    throw new CommandError('--url must be an http or https URL, or devnet, testnet or mainnet-beta')
  const { signal } = new AbortController()
  const calls = retryingRpc(createLedgerRpc({ url }), { signal, maxAttempts: ATTEMPTS, minDelayMs: 250 })
  const rpc: LedgerCalls = {
    call: async (method, params) => {
      try {
        return await calls.call(method, params)
      } catch (error) {
        if (!(error instanceof LedgerRpcError) || error.kind === 'rpc') throw error
        throw new CommandError(`The node ${host} did not answer ${method}: ${error.message}`, {
          cause: error,
        })
      }
    },
  }
  const network = networkOf(await rpc.call<string>('getGenesisHash'))
  return { rpc, programId: options.program ?? config.ledger.programId, host, network }
}

interface RpcAccount {
  readonly owner: string
  readonly executable: boolean
  readonly data: [base64: string, encoding: 'base64']
}

export type Reporter = RegistryAccounts['ReputationReporter']

export type ProgramState = ReturnType<typeof programState>

const PROGRAM_DATA_HEADER = 45
const AUTHORITY_TAG = 12
const AUTHORITY = 13
const CONFIRMED = { commitment: 'confirmed', encoding: 'base64' }

/** Reads the program, its upgrade authority and the config account. Null: it does not exist. */
export async function readRegistry({ rpc, programId }: Cluster) {
  const addresses = [programId, programDataAddress(programId), registryAddresses(programId).config()]
  const { value } = await rpc.call<{ value: (RpcAccount | null)[] }>('getMultipleAccounts', [
    addresses,
    CONFIRMED,
  ])
  const [program, programData, config] = value
  return {
    program: program ? programState(program, programData ?? null) : null,
    config: config?.owner === programId ? decodeConfig(config) : null,
  }
}

function programState(program: RpcAccount, programData: RpcAccount | null) {
  const data = bytesOf(programData)
  const isUpgradeable = program.owner === UPGRADEABLE_LOADER && data.length >= PROGRAM_DATA_HEADER
  const elf = readFileSync(PROGRAM_FILE)
  return {
    executable: program.executable,
    /** Null if nobody can upgrade the program. */
    upgradeAuthority:
      isUpgradeable && data[AUTHORITY_TAG] === 1
        ? pubkeyFromBytes(data.subarray(AUTHORITY, PROGRAM_DATA_HEADER))
        : null,
    // The loader keeps free space after the code of a program that was extended.
    isThisVersion: elf.equals(data.subarray(PROGRAM_DATA_HEADER, PROGRAM_DATA_HEADER + elf.length)),
  }
}

/** The account if it has this layout, else null. */
function decodeAs<Name extends keyof RegistryAccounts>(
  account: RpcAccount,
  name: Name,
): RegistryAccounts[Name] | null {
  try {
    const decoded = decodeAccount(bytesOf(account))
    return decoded?.name === name ? (decoded.data as RegistryAccounts[Name]) : null
  } catch (error) {
    throw new CommandError(`An account has another layout than in this version: ${(error as Error).message}`)
  }
}

function decodeConfig(account: RpcAccount): RegistryAccounts['RegistryConfig'] {
  const config = decodeAs(account, 'RegistryConfig')
  if (config === null) throw new CommandError('The config account does not have the layout of this version')
  return config
}

/** All reporters, active ones first. Null if the node refuses to list accounts. */
export async function readReporters({ rpc, programId }: Cluster): Promise<Reporter[] | null> {
  const { discriminator = [] } = registryIdl.accounts.find(({ name }) => name === 'ReputationReporter') ?? {}
  const filters = [{ memcmp: { offset: 0, bytes: encodeBase58(Uint8Array.from(discriminator)) } }]
  try {
    const accounts = await rpc.call<{ account: RpcAccount }[]>('getProgramAccounts', [
      programId,
      { ...CONFIRMED, filters },
    ])
    return accounts
      .flatMap(({ account }) => decodeAs(account, 'ReputationReporter') ?? [])
      .sort((a, b) => Number(b.active) - Number(a.active) || (a.label < b.label ? -1 : 1))
  } catch (error) {
    if (error instanceof LedgerRpcError) return null
    throw error
  }
}

/** The reporter with this authority. Null if it is not registered. */
export async function readReporter({ rpc, programId }: Cluster, authority: Pubkey): Promise<Reporter | null> {
  const address = registryAddresses(programId).reporter(authority)
  const { value } = await rpc.call<{ value: RpcAccount | null }>('getAccountInfo', [address, CONFIRMED])
  return value?.owner === programId ? decodeAs(value, 'ReputationReporter') : null
}

function bytesOf(account: RpcAccount | null): Buffer {
  return Buffer.from(account?.data[0] ?? '', 'base64')
}
