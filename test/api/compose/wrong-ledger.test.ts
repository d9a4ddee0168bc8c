import { pino } from 'pino'
import { expect, test } from 'vitest'
import { registryIdl } from '@agent-registry/program'
import { readConfig } from '../../../src/platform/config/config.ts'
import { startGateway } from '../../../src/compose/gateway.ts'
import { LedgerMismatchError } from '../../../src/ledger/indexer/position.ts'
import { repliesFrom, startScriptedNode } from '../../support/ledger/scripted-nodes.ts'
import { ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { createTestDatabase, urlOf } from '../../support/database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { perTest } from '../../support/lifetime.ts'

const database = perTest(() => createTestDatabase())
const node = perTest(() => startScriptedNode(repliesFrom(ledger)))
const ledger = new ScriptedLedger()

const fillFrom = (genesis_hash: string, program_id: string = registryIdl.address) =>
  kyselyOf(database.orm)
    .insertInto('indexer_state')
    .values({ program_id, genesis_hash, cursor_signature: null, finalized_signature: null })
    .execute()
const start = (roles: string) =>
  startGateway({
    ...readConfig({
      DATA_DIR: temporaryFolder('wrong-ledger-'),
      DATABASE_URL: urlOf(database),
      SOLANA_RPC_URL: node.url,
      WEBHOOK_SECRETS_KEY: '07'.repeat(32),
      PORT: '0',
      ROLES: roles,
    }),
    logger: pino({ level: 'silent' }),
  })

test.each(['api', 'webhooks,cards', 'indexer'])(
  'with the roles %s nothing starts on a node of another ledger than the database',
  async (roles) => {
    await fillFrom('another')
    await expect(start(roles)).rejects.toThrow(LedgerMismatchError)
    expect(node.calls).toEqual([])
  },
)

test('nothing starts on the database of another program', async () => {
  await fillFrom(ledger.genesisHash, 'AnotherProgram')
  await expect(start('api')).rejects.toThrow(/filled from program AnotherProgram/)
})

test('a node that was unreachable at start is checked before it is used', async () => {
  await fillFrom('another')
  const { replyTo } = node
  node.replyTo = () => ({ status: 503 })
  const gateway = await start('api')
  try {
    node.replyTo = replyTo
    node.calls = []
    const body = JSON.stringify({ accountKeys: [] })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const { status } = await fetch(`${gateway.baseUrl}/relay/estimate-fees`, init)
    expect(status).toBe(503)
    expect(node.calls).toEqual([])
    const metrics = await (await fetch(`${gateway.baseUrl}/metrics`)).text()
    expect(metrics).toContain('gateway_ledger_node{node="1",state="refused"} 1')
  } finally {
    await gateway.stop()
  }
})
