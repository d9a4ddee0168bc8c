import type { Command } from 'commander'
import type { Pubkey } from '@agent-registry/solana'
import { readRuntime } from '../../compose/runtime-file.ts'
import { networkOf } from '../../domain/network.ts'
import { createLedgerRpc, type LedgerCalls, retryingRpc } from '../../ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../ledger/rpc/rpc-error.ts'
import { readConfig } from '../../platform/config/config.ts'
import { CommandError, createOutput, type Output } from '../output.ts'
import type { ClusterOptions } from './options.ts'

const CLUSTER_URLS: Readonly<Record<string, string>> = {
  devnet: 'https://api.devnet.solana.com',
  testnet: 'https://api.testnet.solana.com',
  'mainnet-beta': 'https://api.mainnet-beta.solana.com',
}

/** Public nodes often refuse single calls. */
const ATTEMPTS = 4

/** A ledger and the registry program on it. */
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
  const options = command.optsWithGlobals<ClusterOptions & { json?: boolean }>()
  try {
    await work(await openCluster(options), createOutput(options.json === true))
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
