import { expect, test } from 'vitest'
import { serveApp } from '../../support/clients.ts'
import { agentRow, keyOf } from '../../support/factories.ts'
import { connectMcp } from '../../support/mcp.ts'
import { perFile } from '../../support/lifetime.ts'

/** Turned around, of no width, a line for some parsers, and letters that only models read. */
const NAME = 'A\u202Eb\u200B\u2028\u{E0041}\u{E0042}'
const SHOWN = 'A\\u202eb\\u200b\\u2028\\udb40\\udc41\\udb40\\udc42'
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}]/u

const t = perFile(() => serveApp({ ledger: undefined, agents: [agentRow('Hostile', { name: NAME })] }))
const client = perFile(() => connectMcp('SDK 2.x with the newest version only', t.url))

test.each([
  ['lookup_agent', { query: keyOf('agent Hostile') }],
  ['verify_agent', { owner: keyOf('owner Hostile') }],
  ['list_agents', {}],
  ['check_reputation', { owner: keyOf('owner Hostile') }],
  ['resolve_did', { did: `did:sol:${keyOf('owner Hostile')}` }],
  ['check_credentials', { owner: keyOf('owner Hostile') }],
])('the texts of %s have no invisible characters, and its values are exact', async (name, args) => {
  const { content, structuredContent } = await client.call(name, args)
  const shown = content.map((each) => (each.type === 'text' ? each.text : (each as { name?: string }).name))
  expect(shown.filter((text) => INVISIBLE.test(text ?? ''))).toEqual([])
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent)
})

test('sentences and links show invisible characters of names', async () => {
  const { content, structuredContent } = await client.call<{ checks: object[]; agent: object }>(
    'verify_agent',
    { owner: keyOf('owner Hostile') },
  )
  expect(structuredContent.agent).toMatchObject({ name: NAME })
  expect(structuredContent.checks[0]).toMatchObject({ detail: `${SHOWN} at ${keyOf('agent Hostile')}` })
  expect(content[1]).toMatchObject({ type: 'resource_link', name: SHOWN })
})

test('a resource is JSON without invisible characters', async () => {
  const { contents } = await client.readResource({ uri: `agent://${keyOf('agent Hostile')}` })
  const { text } = contents[0] as { text: string }
  expect(text).not.toMatch(INVISIBLE)
  expect(JSON.parse(text)).toMatchObject({ name: NAME })
})

test('a prompt shows invisible characters of a pasted name', async () => {
  const { messages } = await client.getPrompt({ name: 'due_diligence', arguments: { agent: NAME } })
  expect(JSON.stringify(messages)).not.toMatch(INVISIBLE)
})
