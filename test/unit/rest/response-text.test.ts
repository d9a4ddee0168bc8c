import { Source } from 'graphql'
import { expect, test } from 'vitest'
import { load } from '../../../rest/documents/documents.ts'
import { rootFields } from '../../../rest/documents/responses.ts'
import { operation, restSchema } from '../../../rest/execute.ts'
import { bodyWriter, responseText } from '../../../rest/response-text.ts'
import { joined, KeptText, KeptTexts, tagOf } from '../../../rest/text-parts.ts'
import type { GraphQLContext } from '../../../schema/context.ts'
import type { AgentRow } from '../../../src/registry/rows.ts'
import { keyOf } from '../../support/factories.ts'

const row = (name: string, values: Partial<AgentRow> = {}): AgentRow => ({
  pda: keyOf(name),
  owner: keyOf(`owner ${name}`),
  name,
  tier: 'basic',
  status: 'active',
  serviceCategory: 'dataAnalysis',
  reputationScore: 250,
  capabilities: '18446744073709551615',
  version: '',
  agentCardUrl: 'https://agents.example/"\u2028é.json',
  cardHashMismatch: false,
  rentPayer: keyOf('payer'),
  createdAt: '2026-11-21T06:29:22.000Z',
  updatedAt: '2026-11-21T06:29:22.000Z',
  ...values,
})

/** The list of agents as a service would return it. */
let rows: AgentRow[] = []
const context = {
  services: { agents: { list: async () => ({ total: 2, limit: 50, offset: 0, rows }) } },
} as unknown as GraphQLContext

function endpointOf(fields: string) {
  const text = `"Random" query Random @rest(path: "/x", tag: "Agents") { agentsPage { total agents ${fields} } }`
  return [...load([new Source(text)]).values()][0]!
}

/** The body with kept texts, and as it is without them. */
async function bodies(fields: string) {
  const endpoint = endpointOf(fields)
  const selected = rootFields(endpoint)
  const { document, writeBody } = responseText(restSchema, endpoint.document, selected)
  const run = operation(document as never)
  const runWithout = operation(endpoint.document as never)
  return async () => ({
    text: joined(writeBody(await run(context, {}))),
    expected: bodyWriter(selected)(await runWithout(context, {})),
  })
}

const PLAIN = `{ pda name service_category: serviceCategory capabilities capabilityNames id did
  mismatch: cardHashMismatch @optional name_similarity: nameSimilarity @optional agent_card_url: agentCardUrl }`

test('the text of rows is what executing their fields gives', async () => {
  rows = [row('One'), row('"Two"', { cardHashMismatch: true, nameSimilarity: 0.5 })]
  const { text, expected } = await (await bodies(PLAIN))()
  expect(text).toBe(expected)
  expect(text).toContain('"capabilities":18446744073709551615')
})

test('the text of a row is kept as long as the row, and no longer', async () => {
  const read = await bodies('{ name }')
  const kept = row('Old')
  rows = [kept]
  await read()
  // Nobody changes a row in place: this only shows whether it is read again.
  Object.assign(kept, { name: 'changed in place' })
  expect((await read()).text).toContain('Old')
  rows = [row('New')]
  expect((await read()).text).toContain('New')
})

test('rows with a field that needs more than the row are executed', async () => {
  rows = [row('One')]
  const endpoint = endpointOf('{ name card { checkedAt } }')
  const { document } = responseText(restSchema, endpoint.document, rootFields(endpoint))
  expect(document).toEqual(endpoint.document)
})

test('all texts are forgotten when they are too many, also those of documents that are not used', () => {
  const texts = new KeptTexts(10_000)
  const [idle, busy] = [0, 1].map(() => (value: unknown) => ({ name: (value as AgentRow).name }))
  const kept = row('Old')
  texts.of(kept, idle!)
  Object.assign(kept, { name: 'New' })
  expect(texts.of(kept, idle!).text).toBe('{"name":"Old"}')
  for (let i = 0; i < 1_000; i++) texts.of({ name: `Agent ${i}` }, busy!)
  expect(texts.of(kept, idle!).text).toBe('{"name":"New"}')
})

test('a tag is that of the text and its media type, in every process', () => {
  const agents = (name: string) => ['{"agents":[', new KeptText(`{"name":"${name}"}`), ']}']
  const tag = tagOf('application/json', agents('One'))
  expect(tag).toBe('"FTvEKtYMalFyBLbO0uQAINLy2gHv4iVCJUObnDoM7zo"')
  expect(tagOf('application/json', agents('One'))).toBe(tag)
  expect(tagOf('application/json', agents('Two'))).not.toBe(tag)
  expect(tagOf('application/did', agents('One'))).not.toBe(tag)
  // A name that is the digest of a row is another body.
  const digest = agents('One').map((each) => (typeof each === 'string' ? each : JSON.stringify(each.digest)))
  expect(tagOf('application/json', digest)).not.toBe(tag)
})
