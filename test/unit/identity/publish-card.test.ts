import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  ipfsCid,
  publishDocument,
  serveSampleDocuments,
} from '../../../src/compose/localnet/sample-documents.ts'
import { createCardPublisher, MAX_PUBLISHED_CARD } from '../../../src/identity/agent-cards/publish-card.ts'
import { sha256 } from '../../../src/identity/json.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const CARD = {
  name: 'Route Planner',
  description: 'Plans routes.',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'https://agents.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'plan', name: 'Plan', description: 'Plans a route.', tags: [] }],
}

test('a published card is served by the IPFS gateway of the localnet, with the bytes of its hash', async () => {
  const dataDir = temporaryFolder('cards-')
  const { publish } = createCardPublisher((document) => publishDocument(dataDir, document))
  const text = JSON.stringify(CARD, null, 2)
  const { url, hash } = publish(text)
  expect(publish(text)).toEqual({ url, hash })
  expect({ url, hash }).toEqual({
    url: `ipfs://${ipfsCid(Buffer.from(text))}`,
    hash: sha256(Buffer.from(text)).toString('hex'),
  })
  const gateway = await serveSampleDocuments(dataDir)
  const served = await (await fetch(`${gateway.url}/ipfs/${url.slice('ipfs://'.length)}`)).text()
  expect(served).toBe(text)
  await gateway.close()
})

test.each<[what: string, card: string, problem: string]>([
  ['no JSON', '{', 'it must be JSON'],
  ['no object', '[]', 'it must be a JSON object'],
  ['a repeated member', '{"name":"a","name":"b"}', 'it must be a JSON document with one meaning'],
  [
    'missing parts',
    '{"name":"a"}',
    'must follow Agent2Agent (A2A): description is missing, version is missing, capabilities is missing',
  ],
  [
    'too many bytes',
    JSON.stringify({ ...CARD, description: 'ä'.repeat(MAX_PUBLISHED_CARD / 2) }),
    'must have at most 16384 bytes',
  ],
])('a card with %s is refused', (_, card, problem) => {
  const { publish } = createCardPublisher(() => expect.unreachable())
  expect(() => publish(card)).toThrow(problem)
})

test('only a localnet publishes cards, and no more than its limit', () => {
  expect(() => createCardPublisher(null).publish(JSON.stringify(CARD))).toThrow('Only a localnet')
  const dataDir = temporaryFolder('cards-')
  const url = publishDocument(dataDir, Buffer.from('first'))
  for (let i = 1; i < 2_000; i += 1) writeFileSync(join(dataDir, 'published-documents', `b${i}`), '')
  expect(() => publishDocument(dataDir, Buffer.from('{}'))).toThrow(
    'this localnet has 2000 published documents',
  )
  expect(publishDocument(dataDir, Buffer.from('first'))).toBe(url)
})
