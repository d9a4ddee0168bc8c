import { trustRegistry } from '../../src/identity/credentials/trusted-issuers.ts'
import { createVerifier } from '../../src/identity/credentials/verify/verifier.ts'
import {
  AGENT_DID,
  contexts,
  type Json,
  loaderOf,
  MODELS,
  NOW,
  SUITES,
  type TestIssuer,
  unsigned,
} from '../../test/support/identity/issuer.ts'
import { verifiedByDigitalBazaar } from '../../test/support/identity/oracle.ts'

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const BATCH = Number(process.env.BENCH_CREDENTIALS ?? 200)

export interface Throughput {
  readonly model: string
  readonly suite: string
  /**
   * Verifications per second, one after the other, in each round. The other library runs
   * in the process, ours in one thread.
   */
  readonly theirs: number[]
  readonly ours: number[]
  /** Ours with 16 at once. */
  readonly oursConcurrent: number[]
}

/**
 * Both libraries verify the same credentials in turns. The other library signed them. No credential
 * is verified twice by the same library.
 */
export async function measureThroughput(issuer: TestIssuer): Promise<Throughput[]> {
  const verifier = createVerifier({ contexts })
  const trust = trustRegistry([issuer.trusted])
  const loader = loaderOf(issuer.documents)
  const rows: Throughput[] = []
  const ours = async (credential: Json): Promise<boolean> => {
    const { structurallyValid, proofVerified } = await verifier.verify(credential, {
      agentDid: AGENT_DID,
      now: NOW,
      trust,
    })
    return structurallyValid && proofVerified
  }
  const theirs = (credential: Json): Promise<boolean> => verifiedByDigitalBazaar(credential, loader)
  for (const model of MODELS) {
    for (const suite of SUITES) {
      const rounds: { theirs: number; ours: number; concurrent: number }[] = []
      for (let round = 0; round <= ROUNDS; round++) {
        const batch = async (name: string): Promise<Json[]> =>
          Promise.all(
            Array.from({ length: BATCH }, (_, i) =>
              issuer.sign(
                { ...unsigned(model, suite, issuer.did), id: `urn:uuid:${name}-${round}-${i}` },
                suite,
              ),
            ),
          )
        const credentials = await batch('one')
        const first = round % 2 === 0 ? await rate(credentials, theirs) : 0
        const mine = await rate(credentials, ours)
        const second = round % 2 === 1 ? await rate(credentials, theirs) : 0
        const concurrent = await rate(await batch('many'), ours, 16)
        // The first round warms both up.
        if (round > 0) rounds.push({ theirs: first + second, ours: mine, concurrent })
      }
      rows.push({
        model,
        suite,
        theirs: rounds.map((each) => each.theirs),
        ours: rounds.map((each) => each.ours),
        oursConcurrent: rounds.map((each) => each.concurrent),
      })
    }
  }
  await verifier.close()
  return rows
}

async function rate(
  credentials: Json[],
  verify: (credential: Json) => Promise<boolean>,
  atOnce = 1,
): Promise<number> {
  const start = performance.now()
  let next = 0
  const one = async (): Promise<void> => {
    while (next < credentials.length) {
      const verified = await verify(credentials[next++])
      if (!verified) throw new Error('a genuine credential was refused')
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return Math.round(credentials.length / ((performance.now() - start) / 1_000))
}
