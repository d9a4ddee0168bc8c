import { parentPort, workerData } from 'node:worker_threads'
import type { Contexts } from '../../contexts/load.ts'
import {
  AGENT_CREDENTIALS_V1,
  CREDENTIALS_V1,
  CREDENTIALS_V2,
  DATA_INTEGRITY_V2,
  ED25519_SIGNATURE_2020_V1,
} from '../../contexts/pinned.ts'
import type { WorkerMessage } from './pool.ts'
import {
  type Canonize,
  createCanonize,
  type CryptoTask,
  type CryptoVerdict,
  verifyProofs,
  withProofTemplates,
} from './verify-proofs.ts'

const WARM_UP_ROUNDS = 5

if (parentPort === null) throw new Error('this file must run in a worker thread')
const port = parentPort
const canonize = withProofTemplates(createCanonize(workerData as Contexts))

function send(verdict: CryptoVerdict | null): void {
  const { user, system } = process.threadCpuUsage()
  port.postMessage({ verdict, cpuMs: (user + system) / 1_000 } satisfies WorkerMessage)
}

port.on('message', (task: CryptoTask) => {
  void verifyProofs(task, canonize).then(send)
})

// The first credential takes ten times as long as later ones. Clients do not wait for that.
await warmUp(canonize)
send(null)

/** Canonicalises small credentials, which loads the contexts and compiles the code. */
async function warmUp(canonize: Canonize): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const [base, suite] of [
      [CREDENTIALS_V1, ED25519_SIGNATURE_2020_V1],
      [CREDENTIALS_V1, DATA_INTEGRITY_V2],
      [CREDENTIALS_V2, ED25519_SIGNATURE_2020_V1],
    ]) {
      await canonize({
        '@context': [base, AGENT_CREDENTIALS_V1, suite],
        type: ['VerifiableCredential', 'SecurityAuditCredential'],
        issuer: 'did:example:issuer',
        credentialSubject: { id: 'did:example:subject', auditResult: 'none' },
      })
    }
  }
}
