import { enableCompileCache } from 'node:module'
import type { WorkerLimits } from '../../src/webhooks/limits.ts'

// The service as src/server.ts runs it, with the WorkerLimits in its first argument (JSON). Tests
// that kill processes use shorter leases than production.
enableCompileCache()
const { runServer } = await import('../../src/compose/run-server.ts')
const [limits = '{}'] = process.argv.slice(2)
await runServer({ webhookLimits: JSON.parse(limits) as Partial<WorkerLimits> })
