import type { Server } from 'node:http'
import type { Bank } from './bank/bank.ts'
import { openLedger } from './ledger.ts'
import type { Logger } from './logger.ts'
import type { LocalnetOptions } from './options.ts'
import { respond } from './rpc/json-rpc.ts'
import { createDispatcher } from './rpc/methods/index.ts'
import { withoutControl } from './server/control.ts'
import { createHttpServer } from './server/http-server.ts'
import { createSocketServer } from './server/socket-server.ts'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** A running ledger. */
export type Localnet = Awaited<ReturnType<typeof startLocalnet>>

/** @throws LedgerInUseError if a ledger already uses the directory */
export async function startLocalnet(options: LocalnetOptions) {
  const { port = 0, slotMs = 400 } = options
  const ledger = openLedger(options)
  const { bank, faults, logger, outdated, store } = ledger
  try {
    const call = createDispatcher(ledger)
    const publicCall = withoutControl(call)
    const http = createHttpServer(
      (body, hasControl) => respond(body, hasControl ? call : publicCall, logger),
      faults,
    )
    const sockets = createSocketServer(ledger, call)
    const httpPort = await listenOnPair(http, sockets.http, port)
    const timer = slotMs === 0 ? undefined : setInterval(() => tick(bank, logger), slotMs)
    let closing: Promise<void> | undefined
    const close = async (): Promise<void> => {
      clearInterval(timer)
      sockets.terminate()
      await Promise.all([stop(http), stop(sockets.http)])
      bank.closeSlot()
      store.close()
    }
    return {
      rpcUrl: `http://${HOST}:${httpPort}`,
      wsUrl: `ws://${HOST}:${httpPort + 1}`,
      genesisHash: store.fact('genesisHash') ?? '',
      fault: faults,
      /** The programs of the genesis with other code in `dataDir`, which is of another build. */
      outdatedPrograms: outdated,
      /** The current slot, whose block is not finished. */
      get slot() {
        return bank.slot
      },
      /** Finishes `count` slots immediately. */
      stepSlot: (count = 1): void => {
        for (let step = 0; step < count; step += 1) bank.closeSlot()
      },
      /** Moves the time of the ledger forward and starts a new slot. */
      warp: (seconds: number): void => bank.warp(seconds),
      /** Changes the rent of new accounts. A cluster does it at the start of an epoch. */
      setRent: (lamportsPerByte: number): void => bank.setRent(lamportsPerByte),
      /** Finishes the current slot, writes all data, and releases ports and files. */
      close: (): Promise<void> => (closing ??= close()),
    }
  } catch (error) {
    store.close()
    throw error
  }
}

// The process must end if the ledger cannot be written: a restart must not lose confirmed
// transactions.
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

const HOST = '127.0.0.1'
const ATTEMPTS = 50
const LAST_PORT = 65_535

/**
 * Listens with the HTTP server on the port and with the WebSocket server on the next port, where
 * stock clients expect it. Port 0 finds a free pair.
 * @returns the HTTP port
 */
async function listenOnPair(http: Server, sockets: Server, port: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    await listen(http, port)
    const actual = (http.address() as AddressInfo).port
    try {
      if (actual === LAST_PORT) throw new Error('there is no port after 65535')
      await listen(sockets, actual + 1)
      return actual
    } catch (error) {
      await new Promise((resolve) => http.close(resolve))
      if (port !== 0 || attempt === ATTEMPTS) throw error
    }
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, HOST)
  // Rejects if the server emits an error.
  await once(server, 'listening')
}
