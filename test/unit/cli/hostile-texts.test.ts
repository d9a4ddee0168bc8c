import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../support/cli.ts'
import { perFile } from '../../support/lifetime.ts'
import { startReceiver } from '../../support/receiver.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// Clears the screen, sets the title, hides a link, turns the text around, and starts a new line.
const HOSTILE =
  'A\u001B[2J\u001B]0;title\u0007\u001B]8;;https://evil.example\u001B\\B\u009B31m\u202Egnp.exe\u2066\u2028\r\n\u007FC'
const AGENT = { pda: HOSTILE, name: HOSTILE, tier: HOSTILE, status: HOSTILE, reputation_score: HOSTILE }

const server = perFile(() =>
  startReceiver({
    reply: ({ path, headers }) => {
      const [status, body] = answer(path)
      const isStream = headers.accept === 'text/event-stream'
      return {
        status,
        headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' },
        body: isStream ? `event: next\ndata: ${JSON.stringify(body)}\n\n` : JSON.stringify(body),
      }
    },
  }),
)
let keyFile: string
beforeAll(async () => {
  keyFile = join(temporaryFolder('hostile-'), 'key.json')
  await runCommand({}, 'keygen', keyFile)
})

function answer(path: string): [number, object] {
  if (path.startsWith('/agents?')) return [200, { agents: [AGENT], total: 1 }]
  if (path.includes('/credentials'))
    return [200, { credentials: [{ type: HOSTILE, issuer: HOSTILE, proof_verified: false }] }]
  if (path.startsWith('/agents/')) return [200, { ...AGENT, version: HOSTILE }]
  if (path.includes('/deliveries'))
    return [200, { deliveries: [{ id: HOSTILE, event_type: HOSTILE, status: HOSTILE }] }]
  if (path.startsWith('/graphql')) {
    const members = { agentPda: HOSTILE, owner: HOSTILE, name: HOSTILE, serviceCategory: HOSTILE }
    const event = { id: HOSTILE, timestamp: 1, slot: 1, type: HOSTILE, ...members }
    return [200, { data: { registryEvents: event } }]
  }
  return [400, { error: HOSTILE, details: { code: HOSTILE, logs: [HOSTILE] } }]
}

const COMMANDS = [
  ['agents'],
  ['agent', '11111111111111111111111111111111'],
  ['events', 'tail', '--after', 'x', '--count', '1'],
  ['webhooks', 'deliveries', 'x', '--key', 'KEY'],
  ['webhooks', 'trigger', 'x', '--key', 'KEY'],
]
const run = (...args: string[]) =>
  runCommand({}, ...args.map((each) => (each === 'KEY' ? keyFile : each)), '--url', server.url(''))

test.each(COMMANDS)('%s %s prints no control characters of others', async (...args) => {
  const { stdout, stderr } = await run(...args)
  expect(stdout + stderr).toContain('\\u001b]8;;https://evil.example')
  expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
})

test.each(COMMANDS)('%s %s prints the exact texts with --json', async (...args) => {
  const { stdout, stderr } = await run('--json', ...args)
  expect((stdout + stderr).trim()).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
  expect(JSON.stringify(JSON.parse(stdout || stderr))).toContain(JSON.stringify(HOSTILE))
})
