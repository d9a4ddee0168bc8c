import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../../src/compose/gateway.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { createTestDatabase, urlOf } from '../../support/database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('a new localnet is ready when its sample agents can be read and its invite code exists', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const dataDir = temporaryFolder('first-start-')
  const settings = { PORT: '0', LOCALNET_PORT: '0', SEED_AGENTS: '2' }
  const { promise: listening, resolve } = Promise.withResolvers<string>()
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const { msg } = JSON.parse(chunk.toString()) as { msg: string }
      const [, found] = /^Server listening at (\S+)$/.exec(msg) ?? []
      if (found !== undefined) resolve(found)
      done()
    },
  })
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: urlOf(database), ...settings })
  const started = startGateway({ ...config, logger: pino({ level: 'info' }, log) })
  onTestFinished(async () => (await started).stop())

  const url = await listening
  const first = await fetch(`${url}/ready`)
  expect(first.status).toBe(503)
  expect(await first.json()).toMatchObject({ error: 'Not ready: the localnet is being set up' })
  // Before, reads are refused: an empty list would look like an answer.
  const answers = new Set<string>()
  const read = async (): Promise<void> => {
    const response = await fetch(`${url}/agents?include_mismatched=true`)
    const { total = null } = (await response.json()) as { total?: number }
    answers.add(`${response.status} ${total}`)
  }
  await expect
    .poll(async () => {
      await read()
      return (await fetch(`${url}/ready`)).status
    })
    .toBe(200)
  await read()
  expect(answers).toEqual(new Set(['503 null', '200 2']))
  expect(existsSync(join(dataDir, 'invite-code'))).toBe(true)
})
