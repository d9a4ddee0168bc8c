import { beforeAll, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { insertAgents } from '../../support/factories.ts'

const t = useTestApp()
beforeAll(async () => {
  await insertAgents(t.kysely, ['Почтовый агент', 'Éclaireur météo', '天気予報エージェント'])
})

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
