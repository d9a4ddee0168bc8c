import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { acquirePidLock, pidLockHolder } from '../platform/process/pid-lock.ts'

/** The addresses of the gateway that runs on a DATA_DIR. The command line reads them. */
export interface Runtime {
  baseUrl: string
  rpcUrl: string
  wsUrl: string
}

const lockFile = (dataDir: string): string => join(dataDir, 'gateway.lock')
const runtimeFile = (dataDir: string): string => join(dataDir, 'gateway.json')

/** Makes this process the only gateway on the folder. Throws OperatorError if one is running. */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true })
  const release = acquirePidLock(
    lockFile(dataDir),
    (pid) =>
      `process ${pid} already uses ${dataDir}: stop it, or set DATA_DIR to another folder, and PORT and LOCALNET_PORT to free ports`,
  )
  return () => {
    rmSync(runtimeFile(dataDir), { force: true })
    release()
  }
}

export function writeRuntime(dataDir: string, runtime: Runtime): void {
  const temporary = `${runtimeFile(dataDir)}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(runtime)}\n`)
  renameSync(temporary, runtimeFile(dataDir))
}

/** The gateway that runs on the folder. Null if none runs, or if it is still starting. */
export function readRuntime(dataDir: string): Runtime | null {
  if (pidLockHolder(lockFile(dataDir)) === null) return null
  try {
    return JSON.parse(readFileSync(runtimeFile(dataDir), 'utf8')) as Runtime
  } catch {
    return null
  }
}

export function isGatewayRunning(dataDir: string): boolean {
  return pidLockHolder(lockFile(dataDir)) !== null
}
