import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createTestIssuer } from '../../test/support/credentials/issuer.ts'
import { measureEventLoop } from './event-loop.ts'
import { measureThroughput } from './throughput.ts'

const issuer = createTestIssuer('bench')
const eventLoop = await measureEventLoop(issuer)
const verifications = await measureThroughput(issuer)
const result = {
  measuredAt: new Date().toISOString(),
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  eventLoop,
  verifications,
}
const file = fileURLToPath(new URL('../results/credentials.json', import.meta.url))
mkdirSync(fileURLToPath(new URL('../results', import.meta.url)), { recursive: true })
writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
