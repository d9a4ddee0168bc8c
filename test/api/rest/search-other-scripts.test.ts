import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
  await insertAgents(t.kysely, [
    agentRow('Почтовый агент'),
    agentRow('Éclaireur météo'),
    agentRow('天気予報エージェント'),
  ])
})
afterAll(() => t.close())

// The database needs a Unicode LC_CTYPE, such as C.UTF-8. With C, trigrams contain no letters of
// these scripts.
test.each([
  ['Почтовы агент', 'Почтовый агент'],
  ['éclaireur meteo', 'Éclaireur météo'],
  ['天気予報', '天気予報エージェント'],
])('a search for %s finds %s', async (name, found) => {
  const response = await t.app.inject({ url: '/agents', query: { name } })
  expect(response.json<{ agents: { name: string }[] }>().agents.map((each) => each.name)).toEqual([found])
})
