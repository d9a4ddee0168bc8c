import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { isDomainError } from '../../src/domain/errors.ts'
import { trustRegistry } from '../../src/identity/credentials/trusted-issuers.ts'
import { createVerifier } from '../../src/identity/credentials/verify/verifier.ts'
import { AGENT_DID, contexts, NOW, type TestIssuer, unsigned } from '../../test/support/identity/issuer.ts'
import { seal } from '../../test/support/identity/seal.ts'
import { worstInputs } from '../../test/support/identity/worst-inputs.ts'

const CLIENTS = 8
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10)

export interface EventLoopDelay {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly answersPerSecond: number
  readonly statuses: Record<string, number>
}

/**
 * Measures the delay of the server's event loop while clients in another process post the most
 * expensive credentials that are accepted and that are refused.
 */
export async function measureEventLoop(
  issuer: TestIssuer,
): Promise<{ idle: EventLoopDelay; worst: EventLoopDelay }> {
  const verifier = createVerifier({ contexts })
  const trust = trustRegistry([issuer.trusted])
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      verifier.verify(Buffer.concat(chunks), { agentDid: AGENT_DID, now: NOW, trust }).then(
        (result) => response.end(JSON.stringify(result)),
        (error: unknown) => response.writeHead(isDomainError(error) ? error.status : 500).end(),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const idle = await measure(async () => {
      await wait(SECONDS * 1_000)
      return {}
    })
    const bodies = await worstBodies(issuer)
    const clients = fork(new URL('./clients.ts', import.meta.url))
    clients.send({ origin, clients: CLIENTS, bodies: bodies.map((body) => body.toString('base64')) })
    await wait(1_000)
    const worst = await measure(async () => {
      await wait(SECONDS * 1_000)
      const answered = once(clients, 'message') as Promise<[Record<string, number>]>
      clients.send('stop')
      return (await answered)[0]
    })
    clients.disconnect()
    return { idle, worst }
  } finally {
    server.close()
    await verifier.close()
  }
}

async function measure(during: () => Promise<Record<string, number>>): Promise<EventLoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  histogram.enable()
  const statuses = await during()
  histogram.disable()
  const ms = (nanoseconds: number) => Number((nanoseconds / 1e6).toFixed(2))
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  return {
    p50Ms: ms(histogram.percentile(50)),
    p99Ms: ms(histogram.percentile(99)),
    maxMs: ms(histogram.max),
    answersPerSecond: Math.round(answers / SECONDS),
    statuses,
  }
}

/**
 * The most expensive valid credentials, in many copies so that no verdict is cached, and
 * credentials that exceed the limits.
 */
async function worstBodies(issuer: TestIssuer): Promise<Buffer[]> {
  const bodies: Buffer[] = []
  for (const suite of ['Ed25519Signature2020', 'eddsa-jcs-2022'] as const) {
    const plain = unsigned('1.1', suite, issuer.did)
    for (const document of worstInputs(plain).values()) {
      for (let copy = 0; copy < 40; copy++) {
        const each = { ...document, id: `urn:uuid:${copy}` }
        // A credential that cannot be canonicalised gets the proof of the plain one. The
        // signature is not the expensive part.
        const sealed = await seal(each, suite, issuer).catch(() => seal(plain, suite, issuer))
        bodies.push(Buffer.from(JSON.stringify({ ...each, proof: sealed.proof })))
      }
    }
  }
  const signed = await seal(unsigned('2.0', 'eddsa-jcs-2022', issuer.did), 'eddsa-jcs-2022', issuer)
  const refused = [
    '['.repeat(32_768),
    `{"a":"${'\\u0041'.repeat(5_400)}"}`,
    `{"a":[${'1,'.repeat(16_000)}1]}`,
    `{${Array.from({ length: 2_000 }, (_, i) => `"k${i}":{}`).join()}}`,
    JSON.stringify({ ...signed, proof: Array.from({ length: 60 }, () => signed.proof) }),
    JSON.stringify({ ...signed, proof: { ...signed.proof, proofValue: `z${'2'.repeat(8_000)}` } }),
    JSON.stringify({
      ...signed,
      credentialSubject: { ...signed.credentialSubject, auditor: 'x'.repeat(1_000_000) },
    }),
  ].map((text) => Buffer.from(text))
  return bodies.flatMap((body, i) => (i % 2 === 0 ? [body, refused[(i / 2) % refused.length]!] : [body]))
}
