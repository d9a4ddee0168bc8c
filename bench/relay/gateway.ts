import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readRuntime, type Runtime } from '../../src/bootstrap/runtime-file.ts'

export interface BenchGateway extends Runtime {
  stop(): Promise<void>
}

/** The service as `npm start` runs it, in a process of its own on a throw-away folder. */
export async function startBenchGateway(): Promise<BenchGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  const child = spawn(process.execPath, ['src/server.ts'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      LOCALNET_PORT: '0',
      SEED_AGENTS: '0',
      RATE_LIMITS: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  while (!output.includes('the gateway is ready')) {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
    output += chunk.toString()
  }
  child.stdout.resume()
  const runtime = readRuntime(dataDir)
  if (runtime === null) throw new Error('the gateway wrote no runtime file')
  return {
    ...runtime,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
