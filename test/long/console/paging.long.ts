import { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { BROWSER_PATH } from './support/browser-path.ts'
import { eventually } from '../../support/eventually.ts'
import { useConsole } from './support/console-world.ts'
import { scaled } from '../../support/machine-speed.ts'

const AGENTS = 100_000
const PAGES = 40

const { world } = useConsole({ SEED_AGENTS: '1' })
beforeAll(async () => {
  if (BROWSER_PATH === undefined) return
  const client = new Client({ connectionString: world.gateway.env.DATABASE_URL })
  await client.connect()
  await eventually(async () => {
    const { rowCount } = await client.query('select 1 from agents')
    if (rowCount === 0) throw new Error('the sample agent is not indexed yet')
  })
  await client.query(`
    insert into agents select (jsonb_populate_record(agents, jsonb_build_object('pda', 'pda' || i,
      'owner', 'owner' || i, 'name', 'Agent ' || i, 'reputation_score', i % 1000))).*
    from agents cross join generate_series(1, ${AGENTS}) as i`)
  await client.query('analyze agents')
  await client.end()
})

test.skipIf(BROWSER_PATH === undefined && process.env.CI === undefined)(
  'paging through 100,000 agents stays smooth, forward and back',
  async () => {
    const page = await world.browser.newPage()
    await page.goto(`${world.origin}/console/agents`)
    const first = page.getByRole('table', { name: 'Agents' }).getByRole('rowheader').first()
    await first.waitFor()
    const turn = async (name: 'Next' | 'Previous'): Promise<number> => {
      const before = (await first.textContent())!
      const start = performance.now()
      await page.getByRole('button', { name }).click()
      await first.filter({ hasNotText: before }).waitFor()
      return performance.now() - start
    }
    const times: number[] = []
    for (let i = 0; i < PAGES; i += 1) times.push(await turn('Next'))
    for (let i = 0; i < PAGES / 2; i += 1) times.push(await turn('Previous'))
    const sorted = times.toSorted((a, b) => a - b)
    process.stdout.write(
      `a page takes ${sorted[times.length / 2]!.toFixed(0)} ms, the slowest ${sorted.at(-1)!.toFixed(0)} ms\n`,
    )
    expect(sorted[times.length / 2]).toBeLessThan(scaled(1_000))
  },
)
