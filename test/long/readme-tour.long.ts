import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Runtime } from '../../src/gateway/runtime-file.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { runInShell, tourSteps } from '../tour/readme.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const steps = tourSteps(readFileSync(new URL('../../README.md', import.meta.url), 'utf8'))

let gateway: GatewayProcess
let runtime: Runtime
let receiverPort: number
beforeAll(async () => {
  gateway = await createGatewayProcess()
  runtime = await gateway.start()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiverPort = (server.address() as AddressInfo).port
  server.close()
})
afterAll(() => gateway.remove())

/** The tour's addresses and folder in those of this run. */
function here(command: string): string {
  return command
    .replaceAll('localhost:3000', new URL(runtime.baseUrl).host)
    .replaceAll('localhost:8899', new URL(runtime.rpcUrl).host)
    .replaceAll('8099', String(receiverPort))
    .replaceAll('.data/', `${gateway.dataDir}/`)
}

/** What JSON there is in a text, by its keys alone; other text as whether there is any. */
function shape(text: string): unknown {
  try {
    return keysOf(JSON.parse(text.replaceAll('\n', '')))
  } catch {
    return text.trim() !== ''
  }
}

function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(keysOf)
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, keysOf(each)]))
}

test('every command of the tour succeeds, and answers what the README shows', async () => {
  expect(steps.length).toBeGreaterThan(40)
  const commands = steps.map(({ command }) => here(command))
  let i = 0
  for await (const { command, printed, code } of runInShell(commands, { cwd: ROOT, env: gateway.env })) {
    expect({ command, code, printed }).toEqual({ command, code: 0, printed })
    expect({ command, shape: shape(printed) }).toEqual({ command, shape: shape(steps[i++]?.printed ?? '') })
  }
  expect(i).toBe(steps.length)
})
