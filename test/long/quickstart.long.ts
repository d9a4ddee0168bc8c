import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { readSteps, runSteps } from '../support/quickstart/commands.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

let gateway: GatewayProcess
afterEach(() => gateway.remove())

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true'])
    return true
  } catch {
    return false
  }
}

/** The keys of a JSON document, or whether other text is not empty. */
function shapeOf(text: string): unknown {
  try {
    return keysOf(JSON.parse(text))
  } catch {
    return text.trim() !== ''
  }
}

function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(keysOf)
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, keysOf(each)]))
}

const cases = (['bash', 'zsh'] as const)
  .filter(isInstalled)
  .flatMap((shell) => ['README.md', 'docs/quickstart.md'].map((page) => [page, shell] as const))

test.each(cases)('the commands of %s succeed in %s and print what the page shows', async (page, shell) => {
  gateway = await createGatewayProcess()
  const { baseUrl } = await gateway.start()
  const receiverPort = String(await freePort())
  const steps = readSteps(readFileSync(`${ROOT}/${page}`, 'utf8'))
  expect(steps.length).toBeGreaterThanOrEqual(page === 'README.md' ? 3 : 35)
  const commands = steps.map((step) =>
    step.commands
      .replace('http://localhost:3000', baseUrl)
      .replace('RECEIVER_PORT=8099', `RECEIVER_PORT=${receiverPort}`)
      .replaceAll('.data/', `${gateway.dataDir}/`),
  )
  const outputs = await Array.fromAsync(runSteps(commands, { shell, cwd: ROOT, env: gateway.env }))
  const shapes = (of: (i: number) => string): object[] =>
    steps.flatMap(({ commands: step, span }, i) => (span === null ? [] : [{ step, shape: shapeOf(of(i)) }]))
  expect(shapes((i) => outputs[i] ?? '')).toEqual(shapes((i) => steps[i]?.output ?? ''))
})
