import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config/config.ts'
import type { Logger } from '../platform/logger.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { readRuntime } from './runtime-file.ts'
import type { GatewayLocalnet } from './localnet/localnet.ts'

export interface RunningLedger {
  /** One or more nodes, in order of preference. */
  rpcUrls: readonly string[]
  wsUrls: readonly string[]
  /** The localnet of this process. Null with SOLANA_RPC_URL, or if another process runs it. */
  localnet: GatewayLocalnet | null
  stop(): Promise<void>
}

/** Throws OperatorError if a localnet would start where it must not. */
export function checkLedgerSettings({ ledger, localnet }: Config): void {
  if (ledger.rpcUrls === null && localnet.refusedBecause !== null)
    throw new OperatorError(
      `The localnet is only for development, and ${localnet.refusedBecause}. Set SOLANA_RPC_URL to use a Solana cluster, or LOCALNET=true to start it anyway`,
    )
}

/** SOLANA_RPC_URL, or else a localnet: with `shared` that of a running gateway, if any. */
export async function startLedger(
  config: Config,
  options: { logger: Logger; clock: Clock; shared?: boolean },
): Promise<RunningLedger> {
  const { rpcUrls, wsUrls } = config.ledger
  if (rpcUrls !== null) {
    return {
      rpcUrls,
      wsUrls: wsUrls ?? rpcUrls.map(websocketOf),
      localnet: null,
      stop: async () => undefined,
    }
  }
  const runtime = options.shared === true ? readRuntime(config.dataDir) : null
  if (runtime !== null) {
    const { rpcUrl, wsUrl } = runtime
    return { rpcUrls: [rpcUrl], wsUrls: [wsUrl], localnet: null, stop: async () => undefined }
  }
  checkLedgerSettings(config)
  // Loaded only here, because an installation for a cluster may leave out the VM.
  const { startGatewayLocalnet } = await import('./localnet/localnet.ts')
  const localnet = await startGatewayLocalnet(config, options)
  const { rpcUrl, wsUrl } = localnet
  return { rpcUrls: [rpcUrl], wsUrls: [wsUrl], localnet, stop: () => localnet.stop() }
}

/** Solana's convention: the next port if the URL has a port, else the same host. */
export function websocketOf(rpcUrl: string): string {
  const url = new URL(rpcUrl)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  if (url.port !== '') url.port = String(Number(url.port) + 1)
  return url.href
}
