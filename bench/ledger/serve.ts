import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startLocalnet } from '@agent-registry/localnet'
import { loadLocalnetKeys } from '../../src/platform/keys.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { genesisOf } from './generate.ts'

export interface ServedLedger {
  rpcUrl: string
  wsUrl: string
  stop(): Promise<void>
}

/** Serves the ledger in DATA_DIR from its own process. With `slotMs` 0 no slot passes. */
export async function serveLedger(dataDir: string, slotMs = 0): Promise<ServedLedger> {
  const child: ChildProcess = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), dataDir, String(slotMs)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (child.stdout === null) throw new Error('no output')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { rpcUrl, wsUrl } = JSON.parse(line) as Omit<ServedLedger, 'stop'>
  return {
    rpcUrl,
    wsUrl,
    stop: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , dataDir = '', slotMs = '0'] = process.argv
  const { rpcUrl, wsUrl } = await startLocalnet({
    dataDir: join(dataDir, 'localnet'),
    slotMs: Number(slotMs),
    genesis: genesisOf(loadLocalnetKeys(dataDir)),
    logger: createLogger('error', false),
  })
  process.stdout.write(`${JSON.stringify({ rpcUrl, wsUrl })}\n`)
}
