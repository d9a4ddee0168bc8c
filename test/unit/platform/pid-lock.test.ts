import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { acquirePidLock, pidLockHolder } from '../../../src/platform/process/pid-lock.ts'
import { OperatorError } from '../../../src/platform/process/operator-error.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const file = join(temporaryFolder('lock-'), 'lock')
beforeEach(() => rmSync(file, { force: true }))

const MODULE = fileURLToPath(new URL('../../../src/platform/process/pid-lock.ts', import.meta.url))

const holderSource = (): string =>
  `import(${JSON.stringify(MODULE)}).then((m) => { m.acquirePidLock(${JSON.stringify(file)}, String); console.log('held'); setInterval(() => {}, 1000) })`

/** A process that takes the lock and keeps running. */
async function holder(): Promise<{ pid: number; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, ['-e', holderSource()], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return {
    pid: child.pid ?? 0,
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('is held until released', () => {
  const release = acquirePidLock(file, String)
  expect(pidLockHolder(file)).toBe(process.pid)
  release()
  expect(existsSync(file)).toBe(false)
  expect(pidLockHolder(file)).toBeNull()
})

test('is free when the holder has ended, even before its parent process knows it', async () => {
  // The shell starts the holder, is replaced by `sleep`, and never waits for the holder.
  const holderCode = holderSource()
  const shell = spawn('sh', ['-c', '"$0" -e "$1" & exec sleep 60', process.execPath, holderCode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(shell.stdout, 'data')
  const pid = pidLockHolder(file) ?? 0
  expect(pid).toBeGreaterThan(0)
  process.kill(pid, 'SIGKILL')
  await eventually(() => expect(pidLockHolder(file)).toBeNull())
  acquirePidLock(file, String)()
  shell.kill('SIGKILL')
})

test('is refused while another process runs, and is taken over after kill -9', async () => {
  const other = await holder()
  expect(() => acquirePidLock(file, String)).toThrow(new OperatorError(String(other.pid)))
  expect(pidLockHolder(file)).toBe(other.pid)
  await other.kill()
  expect(pidLockHolder(file)).toBeNull()
  acquirePidLock(file, String)()
})

test('of many processes that find a stale lock, one gets it', async () => {
  writeFileSync(file, '999999999 1')
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const code = `import(${JSON.stringify(MODULE)}).then((m) => { try { m.acquirePidLock(${JSON.stringify(file)}, String); console.log('held') } catch (error) { console.log(error.name) } setTimeout(() => {}, 60_000) })`
      const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      return { child, line: line.toString().trim() }
    }),
  )
  for (const { child } of outcomes) child.kill('SIGKILL')
  expect(outcomes.map((each) => each.line).sort()).toEqual([
    ...Array<string>(5).fill('OperatorError'),
    'held',
  ])
})
