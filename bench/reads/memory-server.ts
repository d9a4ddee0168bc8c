import { fastify } from 'fastify'
import { serveMeasured } from './measured-server.ts'
import { type Agent, FILTERS, type List, rawReads } from './raw-reads.ts'
import { schema } from './raw-routes.ts'

/**
 * The ceiling: all agents with their JSON are loaded once and never read again, so responses are
 * fast and grow old.
 */
const PART = 10_000
const COLUMNS = Object.entries(FILTERS) as [keyof typeof FILTERS, string][]

interface Group {
  readonly agent: Agent
  count: number
}
interface Row {
  readonly text: string
  readonly group: Group
}

const groups = new Map<string, Group>()
const byPda = new Map<string, string>()
const lists = { created_at: [] as Row[], reputation: [] as Row[] }
await load()

async function load(): Promise<void> {
  const reads = rawReads({ connectionString: process.argv[2] })
  for (const [name, sort] of [
    ['created_at', undefined],
    ['reputation', 'reputation'],
  ] as const)
    for (let offset = 0, more = true; more; offset += PART) {
      const { agents } = await reads.list({ sort, limit: PART, offset })
      for (const agent of agents) lists[name].push(rowOf(agent, name === 'created_at'))
      more = agents.length === PART
    }
  await reads.close()
}

function rowOf(agent: Agent, isNew: boolean): Row {
  const key = COLUMNS.map(([, column]) => agent[column]).join(' ')
  const group = groups.get(key) ?? { agent, count: 0 }
  groups.set(key, group)
  const pda = String(agent['pda'])
  const text = byPda.get(pda) ?? JSON.stringify(agent)
  byPda.set(pda, text)
  if (isNew) group.count += 1
  return { text, group }
}

function page({ sort, limit = 50, offset = 0, ...filters }: List): string {
  const all = lists[sort ?? 'created_at']
  const accepted = new Set(
    [...groups.values()].filter(({ agent }) =>
      COLUMNS.every(([name, column]) => filters[name] === undefined || agent[column] === filters[name]),
    ),
  )
  const total = [...accepted].reduce((sum, { count }) => sum + count, 0)
  const texts: string[] = []
  const isAll = total === all.length
  let skipped = isAll ? offset : 0
  for (let i = skipped; i < all.length && texts.length < limit; i += 1) {
    const { text, group } = all[i]!
    if (!accepted.has(group)) continue
    if (skipped < offset) skipped += 1
    else texts.push(text)
  }
  return `{"total":${total},"limit":${limit},"offset":${offset},"agents":[${texts.join()}]}`
}

const app = fastify()
app.get<{ Querystring: List }>('/agents', { schema }, async ({ query }, reply) =>
  reply.type('application/json; charset=utf-8').send(page(query)),
)
app.get<{ Params: { pda: string } }>('/agents/:pda', async ({ params: { pda } }, reply) => {
  const text = byPda.get(pda)
  if (text === undefined) return reply.code(404).send({ error: 'Agent not found' })
  return reply.type('application/json; charset=utf-8').send(text)
})
serveMeasured(Number(new URL(await app.listen({ port: 0 })).port))
