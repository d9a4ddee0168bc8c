import { runServer } from '../../src/compose/run-server.ts'
import type { WorkerLimits } from '../../src/webhooks/limits.ts'

// The service as src/server.ts runs it, with the WorkerLimits in its first argument (JSON). Tests
// that kill processes use shorter leases than production.
const [limits = '{}'] = process.argv.slice(2)
await runServer({ webhookLimits: JSON.parse(limits) as Partial<WorkerLimits> })
