import { createLogger } from '../platform/logger.ts'
import { createPeers } from '../platform/process/peers.ts'
import { type ApiProcessStart, LISTENING } from './api-processes.ts'
import { exitAfter, serveUntil } from './run-server.ts'

/**
 * Runs an API process of `api-processes.ts`. It stops in order when the main process disconnects,
 * which is also how it notices that the main process has died.
 */
export function runApiProcess(): void {
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.on('disconnect', stop)
  process.on('SIGTERM', stop)
  // Ctrl-C reaches all processes of a terminal. The main process stops the others.
  process.on('SIGINT', () => undefined)
  if (!process.connected) return
  process.once('message', (start) => void exitAfter(() => serve(start as ApiProcessStart, stopping.signal)))
}

async function serve({ number, config, secrets }: ApiProcessStart, signal: AbortSignal): Promise<void> {
  const peers = createPeers(number, config.apiProcesses)
  peers.connect(1, process)
  const logger = createLogger(config.logLevel)
  const onListening = (): void => void process.send?.(LISTENING, undefined, undefined, () => undefined)
  try {
    await serveUntil({ config, secrets, logger, signal, peers }, { onStarted: onListening })
  } finally {
    if (process.connected) process.disconnect()
  }
}
