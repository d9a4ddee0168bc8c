import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import { createFailoverRpc } from '../ledger/failover/failover-rpc.ts'
import { assertSameLedger, filledFrom } from '../ledger/indexer/position.ts'
import { settleBoth, withTimeout } from '../platform/async/promises.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config/config.ts'
import type { Logger } from '../platform/logger.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { type EndChild, startDatabase } from './database.ts'
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
  const others = { localnet: null, stop: async () => undefined }
  if (rpcUrls !== null) return { rpcUrls, wsUrls: wsUrls ?? rpcUrls.map(websocketOf), ...others }
  const runtime = options.shared === true ? readRuntime(config.dataDir) : null
  if (runtime !== null) return { rpcUrls: [runtime.rpcUrl], wsUrls: [runtime.wsUrl], ...others }
  checkLedgerSettings(config)
  // Loaded only here, because an installation for a cluster may leave out the VM.
  const { startGatewayLocalnet } = await import('./localnet/localnet.ts')
  const localnet = await startGatewayLocalnet(config, options)
  const { rpcUrl, wsUrl } = localnet
  return { rpcUrls: [rpcUrl], wsUrls: [wsUrl], localnet, stop: () => localnet.stop() }
}

/** Solana's convention: the next port if the URL has a port, else the same host. */
function websocketOf(rpcUrl: string): string {
  const url = new URL(rpcUrl)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  if (url.port !== '') url.port = String(Number(url.port) + 1)
  return url.href
}

export type LedgerNodes = Awaited<ReturnType<typeof connectLedgerNodes>>

/** A node that takes longer to answer is checked later, before its first use. */
const CHECK_TIMEOUT_MS = 2_000

/**
 * Connects to the nodes of one ledger: the ledger that filled the database, or the ledger of the
 * first node that answers if the database is empty. Throws LedgerMismatchError if the node is on
 * another ledger, or if the database belongs to another program.
 */
async function connectLedgerNodes(
  { rpcUrls, wsUrls }: Pick<RunningLedger, 'rpcUrls' | 'wsUrls'>,
  {
    kysely,
    clock,
    logger,
    programId,
  }: { kysely: Kysely<Database>; clock: Clock; logger: Logger; programId: string },
) {
  const state = await filledFrom(kysely)
  const rpc = createFailoverRpc({
    urls: rpcUrls,
    clock,
    logger,
    genesisHash: state?.genesis_hash,
    readGenesisHash: async () => (await filledFrom(kysely))?.genesis_hash,
  })
  if (state !== undefined) {
    const found = await withTimeout(CHECK_TIMEOUT_MS, rpc.call<string>('getGenesisHash')).catch(() => null)
    assertSameLedger(state, { programId, genesisHash: found ?? state.genesis_hash })
  }
  return {
    rpc,
    /** WebSocket URLs of all nodes except those that are known to be on another ledger. */
    wsUrls: (): readonly string[] => {
      // Unless there is one WebSocket URL per node, the two lists cannot be matched.
      if (wsUrls.length !== rpcUrls.length) return wsUrls
      const nodes = rpc.nodes()
      return wsUrls.filter((_, i) => nodes[i] !== 'refused')
    },
  }
}

/**
 * Starts or opens the database and the ledger of the settings. With `shared`, uses those of a
 * gateway that runs on DATA_DIR, and leaves them running.
 */
export async function openBackends(
  config: Config,
  options: {
    readonly logger: Logger
    readonly clock: Clock
    /** Stops what was started. */
    readonly stack: AsyncDisposableStack
    readonly shared?: boolean
    readonly signal?: AbortSignal
    readonly children?: Set<EndChild>
  },
) {
  const { logger, clock, stack, shared = false, signal, children } = options
  const adopt = async <Part extends { stop(): Promise<void> }>(starting: Promise<Part>): Promise<Part> =>
    stack.adopt(await starting, (each) => each.stop())
  const [database, ledger] = await settleBoth(
    adopt(startDatabase(config, logger, { keepServer: shared, signal, children })),
    adopt(startLedger(config, { logger, clock, shared })),
  )
  const kysely = database.orm.em.getKysely()
  const { programId } = config.ledger
  return { database, ledger, nodes: await connectLedgerNodes(ledger, { kysely, clock, logger, programId }) }
}
