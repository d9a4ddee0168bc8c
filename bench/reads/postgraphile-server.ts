import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveMeasured } from './measured-server.ts'

// Installed only by the bench, so the compiler must not resolve them.
const PACKAGES: readonly string[] = [
  'postgraphile',
  'postgraphile/presets/amber',
  'postgraphile/adaptors/pg',
  'postgraphile/grafserv/node',
]
interface Exports {
  postgraphile: (preset: object) => {
    createServ(grafserv: unknown): { addTo(server: Server): Promise<void> }
  }
  PostGraphileAmberPreset: object
  makePgService: (options: object) => object
  grafserv: unknown
}

// Otherwise Grafast checks its own work at each step.
process.env.NODE_ENV = 'production'
process.env.GRAPHILE_ENV = 'production'

const modules = (await Promise.all(PACKAGES.map((name) => import(name)))) as Partial<Exports>[]
const { postgraphile, PostGraphileAmberPreset, makePgService, grafserv } = Object.assign(
  {},
  ...modules,
) as Exports

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: process.argv[2],
      schemas: ['postgraphile'],
      poolConfig: { max: 10 },
    }),
  ],
  grafserv: { graphiql: false, websockets: false, watch: false },
  grafast: { explain: false },
})
const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
serveMeasured((server.address() as AddressInfo).port)
