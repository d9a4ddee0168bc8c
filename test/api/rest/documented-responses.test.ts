import { beforeAll, expect, test } from 'vitest'
import { createAppOfTest, NO_LEDGER, type TestApp, useTestApp } from '../../support/app.ts'
import {
  agentRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../support/factories.ts'
import { type OpenApi, problems } from '../../support/openapi.ts'

const t = useTestApp()
let document: OpenApi
beforeAll(async () => {
  await insertAgents(t.kysely, [
    agentRow('Most', { capabilities: '18446744073709551615', version: '', card_hash_mismatch: true }),
    agentRow('Least', { capabilities: '0', name: '𝔊', status: 'deactivated', reputation_score: 0 }),
  ])
  await insertStakes(t.kysely, [stakeRow('Most', { deposited_amount: '18446744073709551615' })])
  await insertHistory(t.kysely, 'Most', [
    { delta: '-5' },
    { event_type: 'tier_updated', delta: null },
    { event_type: 'metadata_updated', delta: null, old_value: '{}', new_value: '{"version":"2"}' },
    { event_type: 'status_changed', delta: null },
  ])
  document = (await t.app.inject('/openapi.json')).json()
})

const MOST = keyOf('agent Most')
/** How a response differs from the document. Empty if it does not. */
const mismatches = async (
  { app }: TestApp,
  path: string,
  url: string,
  status: number,
): Promise<unknown[]> => {
  const { statusCode, headers, body } = await app.inject(url)
  if (statusCode !== status) return [statusCode, body]
  const [type] = String(headers['content-type']).split(';')
  const media = document.paths[path]?.get?.responses[status]?.content?.[type!]
  return media === undefined
    ? [`${path} ${status} ${type}`]
    : problems(document, media.schema, JSON.parse(body))
}

test.each([
  ['/agents', '/agents?include_mismatched=true', 200],
  ['/agents', '/agents?name=Most&include_mismatched=true', 200],
  ['/agents', '/agents?offset=10', 200],
  ['/agents', '/agents?limit=0', 400],
  ['/agents', '/agents?nothing=0', 400],
  ['/idl.json', '/idl.json', 200],
  ['/idl.json', '/idl.json?x=1', 400],
  ['/agents/{pda}', `/agents/${MOST}`, 200],
  ['/agents/{pda}', '/agents/x', 400],
  ['/agents/{pda}', `/agents/${keyOf('nobody')}`, 404],
  ['/agents/{pda}/history', `/agents/${MOST}/history`, 200],
  ['/agents/{pda}/history', `/agents/${MOST}/history?event_type=x`, 400],
  ['/agents/{pda}/history', `/agents/${keyOf('nobody')}/history`, 404],
  ['/stakes', '/stakes', 200],
  ['/stakes', '/stakes?owner=x', 400],
  ['/stakes/{pda}', `/stakes/${keyOf('stake Most')}`, 200],
  ['/stakes/{pda}', '/stakes/x', 400],
  ['/stakes/{pda}', `/stakes/${keyOf('nobody')}`, 404],
  ['/agents/{pda}/credentials', `/agents/${MOST}/credentials`, 200],
  ['/agents/{pda}/credentials', '/agents/x/credentials', 400],
  ['/agents/{pda}/credentials', `/agents/${keyOf('nobody')}/credentials`, 404],
  ['/did/{did}', `/did/did:sol:${keyOf('owner Most')}`, 200],
  ['/did/{did}', '/did/x', 400],
  ['/did/{did}', `/did/did:sol:${keyOf('nobody')}`, 404],
  ['/did/{did}/document', `/did/did:sol:${keyOf('owner Most')}/document`, 200],
  ['/did/{did}/document', '/did/x/document', 400],
  ['/did/{did}/document', `/did/did:sol:${keyOf('nobody')}/document`, 404],
  ['/1.0/identifiers/{did}', `/1.0/identifiers/did:sol:${keyOf('owner Least')}`, 410],
  ['/1.0/identifiers/{did}', `/1.0/identifiers/did:sol:${keyOf('owner Most')}`, 200],
  ['/1.0/identifiers/{did}', '/1.0/identifiers/did:sol:x', 400],
  ['/1.0/identifiers/{did}', `/1.0/identifiers/did:sol:${keyOf('nobody')}`, 404],
  ['/1.0/identifiers/{did}', '/1.0/identifiers/did:web:a.example', 501],
  ['/sponsor/eligibility', `/sponsor/eligibility?wallet=${MOST}&code=x`, 200],
  ['/sponsor/eligibility', '/sponsor/eligibility?wallet=x&code=x', 400],
  ['/health', '/health', 200],
  ['/health', '/health?x=1&x=%zz', 200],
  ['/health/detailed', '/health/detailed', 200],
  ['/health/detailed', '/health/detailed?x', 400],
  ['/ready', '/ready', 200],
  ['/ready', '/ready?x=1&x=%zz', 200],
  ['/info', '/info', 200],
  ['/info', '/info?x=1&x=%zz', 200],
])('%s: the response of %s with status %i matches the document', async (path, url, status) => {
  expect(await mismatches(t, path, url, status)).toEqual([])
})

test('responses match the document if the dependencies are down or an internal error occurs', async () => {
  const starting = {
    phase: 'starting',
    cursorSlot: null,
    finalizedSlot: null,
    lagSlots: null,
    lagSeconds: null,
    deadLetters: null,
    isEmpty: true,
    ready: false,
    hasLeader: true,
    healthy: false,
  } as const
  const bare = await createAppOfTest({ ledger: NO_LEDGER, feePayer: null, indexer: async () => starting })
  expect(await mismatches(bare, '/health/detailed', '/health/detailed', 200)).toEqual([])
  await bare.kysely.deleteFrom('indexer_state').execute()
  expect(await mismatches(bare, '/info', '/info', 503)).toEqual([])
  expect(await mismatches(bare, '/ready', '/ready', 503)).toEqual([])
  await bare.kysely.schema.dropTable('stakes').execute()
  expect(await mismatches(bare, '/stakes', '/stakes', 500)).toEqual([])
})

test('the response with the greatest balance matches the document', async () => {
  const rich = await createAppOfTest({ feePayerLamports: 2n ** 53n })
  expect(await mismatches(rich, '/health/detailed', '/health/detailed', 200)).toEqual([])
})
