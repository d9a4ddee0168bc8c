import type { Server } from 'node:http'
import type { Bank } from './bank/bank.ts'
import { openContext } from './context.ts'
import type { FaultControls } from './faults/fault-controls.ts'
import { type Logger, stderrLogger } from './logger.ts'
import { type LocalnetOptions, systemClock } from './options.ts'
import { dispatcher } from './rpc/dispatch.ts'
import { answerText } from './rpc/json-rpc.ts'
import { createHttpServer } from './server/http-server.ts'
import { listenOnPair } from './server/port-pair.ts'
import { createSocketServer } from './server/socket-server.ts'
import { Subscriptions } from './server/subscriptions.ts'
import { LedgerStore } from './store/ledger-store.ts'

/** A running ledger. */
export interface Localnet {
  readonly rpcUrl: string
  readonly wsUrl: string
  readonly genesisHash: string
  readonly fault: FaultControls
  /** The slot that is being made. */
  readonly slot: number
  /** Finishes `count` slots (default 1) at once. */
  stepSlot(count?: number): void
  /** Moves the ledger's time forward by these seconds, in a new slot. */
  warp(seconds: number): void
  /** Finishes the current slot, writes everything, and frees ports and files. */
  close(): Promise<void>
}

// A node takes bodies of up to 50 KiB.
const MAX_BODY_BYTES = 50 * 1024

/** @throws LedgerInUseError when a ledger already runs on the same directory */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const { dataDir, port = 0, host = '127.0.0.1', slotMs = 400, maxBodyBytes = MAX_BODY_BYTES } = options
  const { logger = stderrLogger, clock = systemClock } = options
  const store = new LedgerStore(dataDir)
  try {
    const context = openContext(store, options, logger, clock)
    const { bank, faults } = context
    const call = dispatcher(context)
    const http = createHttpServer({ answer: (body) => answerText(body, call, logger), faults, maxBodyBytes })
    const subscriptions = new Subscriptions(bank, logger)
    const sockets = createSocketServer({ context, subscriptions, maxBodyBytes })
    const actualPort = await listenOnPair(http, sockets.http, port, host)
    const timer = slotMs === 0 ? undefined : setInterval(() => tick(bank, logger), slotMs)
    const address = host === '0.0.0.0' ? '127.0.0.1' : host
    let closing: Promise<void> | undefined
    const close = async (): Promise<void> => {
      clearInterval(timer)
      sockets.terminate()
      await Promise.all([stop(http), stop(sockets.http)])
      bank.closeSlot()
      context.store.close()
    }
    return {
      rpcUrl: `http://${address}:${actualPort}`,
      wsUrl: `ws://${address}:${actualPort + 1}`,
      genesisHash: store.fact('genesisHash') ?? '',
      fault: faults,
      get slot() {
        return bank.slot
      },
      stepSlot: (count = 1) => {
        for (let step = 0; step < count; step += 1) bank.closeSlot()
      },
      warp: (seconds) => bank.warp(seconds),
      close: () => (closing ??= close()),
    }
  } catch (error) {
    store.close()
    throw error
  }
}

// Without its disk the ledger must not go on: what it acknowledges has to be there after a restart.
function tick(bank: Bank, logger: Logger): void {
  try {
    bank.closeSlot()
  } catch (err) {
    logger.fatal({ err }, 'the localnet cannot write its ledger')
    throw err
  }
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
