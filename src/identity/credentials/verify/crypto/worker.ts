import { parentPort, workerData } from 'node:worker_threads'
import type { Contexts } from '../../contexts/load.ts'
import { createCanonize } from './canonize.ts'
import type { CryptoTask, CryptoVerdict, WorkerReport } from './protocol.ts'
import { withProofTemplates } from './proof-templates.ts'
import { verifyProofs } from './verify-proofs.ts'
import { warmUp } from './warm-up.ts'

if (parentPort === null) throw new Error('this file runs as a worker')
const port = parentPort
const canonize = withProofTemplates(createCanonize(workerData as Contexts))

function report(verdict: CryptoVerdict | null): void {
  const { user, system } = process.threadCpuUsage()
  port.postMessage({ verdict, cpuMs: (user + system) / 1_000 } satisfies WorkerReport)
}

port.on('message', (task: CryptoTask) => {
  void verifyProofs(task, canonize).then(report)
})

// The first credential costs ten times as much as the next ones: that is not a client's time.
await warmUp(canonize)
report(null)
