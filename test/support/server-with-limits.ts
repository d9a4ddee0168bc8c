import { runServer } from '../../src/gateway/run-server.ts'
import type { WorkerLimits } from '../../src/webhooks/worker/limits.ts'

// The service as src/server.ts runs it, with the WorkerLimits of its first argument, in JSON: crashes of whole processes cannot wait for
// leases of production length.
const [limits = '{}'] = process.argv.slice(2)
await runServer({ webhookLimits: JSON.parse(limits) as Partial<WorkerLimits> })
