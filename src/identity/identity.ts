import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { createCardCheckStore } from './agent-cards/card-check-store.ts'
import { createCardMetrics } from './agent-cards/metrics.ts'
import { CARD_TIMING, type CardTiming } from './agent-cards/timing.ts'
import { type CardWorker, createCardWorker } from './agent-cards/worker.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../db/database.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { GuardedHttp } from '../platform/net/guarded-http.ts'
import { createCredentialStore } from './credentials/attached/credential-store.ts'
import { type Credentials, createCredentials } from './credentials/attached/credentials.ts'
import { refreshCredentials } from './credentials/attached/refresh.ts'
import { loadContexts } from './credentials/contexts/load.ts'
import { createTrustedIssuers } from './credentials/trusted-issuers/service.ts'
import { createVerifierMetrics } from './credentials/verify/metrics.ts'
import { getRulesVersion } from './credentials/verify/rules-version.ts'
import { createVerifier, type Verifier } from './credentials/verify/verifier.ts'
import { parseDid } from '../domain/did.ts'
import type { HostedDependencies } from '../platform/net/hosted/fetch-hosted.ts'
import type { Gateways } from '../platform/net/hosted/locate.ts'

export interface IdentityOptions {
  readonly kysely: Kysely<Database>
  readonly clock: Clock
  readonly http: GuardedHttp
  readonly gateways: Gateways
  /** Folder of further contexts; null for those of the service alone. */
  readonly contextsDir: string | null
  readonly logger: Pick<Logger, 'warn'>
  readonly metrics: Metrics
}

/** What fetches and verifies: agent cards and credentials. */
export interface Identity {
  readonly credentials: Credentials
  /** Checks the cards of all agents, and fetches their credentials again. */
  cardWorker(metrics: Metrics, timing?: CardTiming): CardWorker
  /** Ends the threads of the verifier; the HTTP client is the caller's. */
  close(): Promise<void>
}

/** Throws OperatorError where the contexts cannot be used. */
export function createIdentity(options: IdentityOptions): Identity {
  const { kysely, clock, http, gateways, logger } = options
  const contexts = loadContexts(options.contextsDir)
  const metrics = createVerifierMetrics(options.metrics)
  // Threads are started by the first credential: many processes never see one.
  let started: Verifier | undefined
  const verifier: Pick<Verifier, 'verify'> = {
    verify: (raw, about) => (started ??= createVerifier({ contexts, metrics })).verify(raw, about),
  }
  const issuers = createTrustedIssuers({ kysely, clock })
  const trust = () => issuers.current()
  const hosted: HostedDependencies = {
    http,
    gateways,
    cardUrlOf: (did) => cardUrlOf(kysely, did),
    totalMs: CARD_TIMING.fetchMs,
  }
  const store = createCredentialStore(kysely)
  return {
    credentials: createCredentials({
      kysely,
      clock,
      verifier,
      rules: getRulesVersion(contexts),
      trust,
      hosted,
    }),
    cardWorker: (metrics, timing = CARD_TIMING) =>
      createCardWorker({
        store: createCardCheckStore(kysely),
        hosted,
        clock,
        timing,
        metrics: createCardMetrics(metrics),
        newId: randomUUID,
        random: Math.random,
        refresh: ({ agentPda: pda, owner }, outcome, signal) => {
          const listed = outcome.state === 'matched' ? (outcome.content?.credentials ?? []) : null
          const means = { store, verifier, trust, hosted: { ...hosted, signal }, now: () => clock.now() }
          return refreshCredentials({ pda, owner, listed }, means)
        },
        logger,
      }),
    close: async () => {
      await started?.close()
    },
  }
}

async function cardUrlOf(kysely: Kysely<Database>, did: string): Promise<string | null> {
  const row = await kysely
    .selectFrom('agents')
    .select('agent_card_url')
    .where('owner', '=', parseDid(did))
    .executeTakeFirst()
  return row?.agent_card_url ?? null
}
