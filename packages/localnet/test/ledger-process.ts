import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Keypair } from '@solana/web3.js'
import { startLocalnet } from '../src/index.ts'

/** Runs a ledger with 20 ms slots in its own process. */
export async function spawnLedger(dataDir: string, faucet: Keypair) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), dataDir, faucet.secretKey.join()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('no output')
  const [rpcUrl] = (await once(createInterface(child.stdout), 'line')) as [string]
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  return { rpcUrl, child, kill }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , dataDir = '', secret = ''] = process.argv
  const faucet = Keypair.fromSecretKey(Uint8Array.from(secret.split(',').map(Number)))
  const net = await startLocalnet({ dataDir, slotMs: 20, finalizedDepth: 8, genesis: { faucet } })
  process.stdout.write(`${net.rpcUrl}\n`)
}
