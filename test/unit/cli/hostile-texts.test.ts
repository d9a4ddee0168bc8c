import { expect, test } from 'vitest'
import { runCommand } from '../../support/cli.ts'
import { perFile } from '../../support/lifetime.ts'
import { startReceiver } from '../../support/receiver.ts'

// Clears the screen, sets the title, hides a link, turns the text around, and starts a new line.
const HOSTILE =
  'A\u001B[2J\u001B]0;title\u0007\u001B]8;;https://evil.example\u001B\\B\u009B31m\u202Egnp.exe\u2066\u2028\r\n\u007FC'

const server = perFile(() =>
  startReceiver({
    reply: ({ path, headers }) => {
      const isStream = headers.accept === 'text/event-stream'
      const [status, body] = answer(path, isStream)
      return {
        status,
        headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' },
        body: isStream ? `event: next\ndata: ${JSON.stringify(body)}\n\n` : JSON.stringify(body),
      }
    },
  }),
)

function answer(path: string, isStream: boolean): [number, object] {
  const errors = [{ message: HOSTILE, extensions: { code: HOSTILE, status: 400 } }]
  if (path === '/refuses/graphql') return [400, { errors }]
  if (!isStream) return [200, { data: { registryEvents: { nodes: [] } } }]
  const members = { agentPda: HOSTILE, owner: HOSTILE, name: HOSTILE, serviceCategory: HOSTILE }
  const event = { id: HOSTILE, timestamp: 1, slot: 1, type: HOSTILE, ...members }
  return [200, { data: { registryEvents: event } }]
}

const listen = (path: string, ...options: string[]) => {
  const args = ['--count', '1', '--forward-to', server.url('/hook'), '--url', server.url(path), ...options]
  return runCommand({}, 'webhooks', 'listen', ...args)
}

test.each(['', '/refuses'])('a command prints no control characters of others: %j', async (path) => {
  const { stdout, stderr } = await listen(path)
  expect(stdout + stderr).toContain('\\u001b]8;;https://evil.example')
  expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
})

test.each(['', '/refuses'])('a command prints the exact texts with --json: %j', async (path) => {
  const { stdout, stderr } = await listen(path, '--json')
  const last = (stdout + stderr).trim().split('\n').at(-1) ?? ''
  expect(last).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
  expect(JSON.stringify(JSON.parse(last))).toContain(JSON.stringify(HOSTILE))
})
