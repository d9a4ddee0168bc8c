import type { AgentReads } from '../registry/agents/agent-reads.ts'
import { Agent } from '../db/entities/agents.ts'
import type { EntityManager } from '../db/orm-types.ts'
import { parseDid } from '../domain/did.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { GuardedHttp } from '../platform/net/guarded-http.ts'
import {
  createByteBudget,
  type FetchFailure,
  fetchHosted,
  type FetchHostedResult,
  type Gateways,
  type HostedDependencies,
} from '../platform/net/hosted/fetch-hosted.ts'
import { createNewCardChecks } from './agent-cards/check-new-card.ts'
import { CARD_QUEUES, CARD_TIMING, type CardTiming } from './agent-cards/limits.ts'
import { type CardWorker, createCardWorker } from './agent-cards/worker.ts'
import { createCredentialStore } from './credentials/attached/credential-store.ts'
import { createCredentials, type Credentials } from './credentials/attached/credentials.ts'
import {
  claimRefreshes,
  type DueAgent,
  finishRefresh,
  refreshCredentials,
} from './credentials/attached/refresh.ts'
import { loadContexts } from './credentials/contexts/load.ts'
import { createTrustedIssuers } from './credentials/trusted-issuers.ts'
import { createVerifier, createVerifierMetrics, type Verifier } from './credentials/verify/verifier.ts'
import { getRulesVersion } from './credentials/verify/result.ts'
import { MAX_LIST_BYTES } from './credentials/verify/status/read-list.ts'
import { createSiteSlots } from './sites.ts'
import { createFetchQueue } from './fetch-queue.ts'

export interface IdentityOptions {
  readonly em: EntityManager
  readonly clock: Clock
  readonly http: GuardedHttp
  readonly gateways: Gateways
  /** Folder with additional JSON-LD contexts. Null if there are none. */
  readonly contextsDir: string | null
  readonly logger: Pick<Logger, 'warn'>
  readonly metrics: Metrics
}

export type Identity = ReturnType<typeof createIdentity>

/** How long a list waits for others of its site. A client waits for the answer. */
const LIST_WAIT_MS = 5_000
const LIST_TOO_LATE: FetchFailure = {
  kind: 'failed',
  reason: 'Too many other lists of the same host are being fetched',
  host: null,
}

/** Verifies credentials and agent cards. Throws OperatorError if the contexts are invalid. */
export function createIdentity(options: IdentityOptions) {
  const { em, clock, http, gateways, logger } = options
  const kysely = em.getKysely()
  const contexts = loadContexts(options.contextsDir)
  const verifierMetrics = createVerifierMetrics(options.metrics)
  const issuers = createTrustedIssuers({ em, clock })
  const hosted: HostedDependencies = {
    http,
    gateways,
    budget: createByteBudget(clock),
    cardUrlOf: (did) => findCardUrl(em, did),
    totalMs: CARD_TIMING.fetchMs,
  }
  const fetchStatusList = createListFetch(hosted)
  // The first credential starts the threads, because many processes never verify one.
  let started: Verifier | undefined
  const verifier: Pick<Verifier, 'verify'> = {
    verify: (raw, about) => {
      started ??= createVerifier({ contexts, metrics: verifierMetrics, fetchStatusList })
      return started.verify(raw, about)
    },
  }
  const parts = {
    store: createCredentialStore(em),
    verifier,
    trust: issuers.current,
    hosted,
    now: () => clock.now(),
  }
  const rulesVersion = getRulesVersion(contexts)
  return {
    credentials: (agents: Pick<AgentReads, 'get'>): Credentials =>
      createCredentials(agents, rulesVersion, parts),
    /** With bytes of its own, clients cannot use up those of the checks of agents. */
    newCards: createNewCardChecks({ ...hosted, budget: createByteBudget(clock) }, clock),
    /** Checks the cards of all agents and refreshes their credentials. */
    cardWorker: (metrics: Metrics, timing: CardTiming = CARD_TIMING): CardWorker => {
      const { credentialsMs: limitMs, credentialsLeaseMs, idleMs } = timing
      const slots = createSiteSlots()
      const credentials = createFetchQueue<DueAgent>({
        clock,
        logger,
        idleMs,
        limits: CARD_QUEUES.credentials,
        name: 'refreshes of credentials',
        claim: (limit) => claimRefreshes(kysely, limit, credentialsLeaseMs),
        run: async (agent, signal) => {
          await refreshCredentials(agent, { ...parts, hosted: { ...hosted, signal }, slots, limitMs })
          if (!signal.aborted) await finishRefresh(em, agent)
        },
      })
      const random = Math.random
      return createCardWorker({ em, hosted, clock, timing, random, metrics, logger, credentials })
    },
    /** Stops the threads of the verifier. The caller closes the HTTP client. */
    close: async (): Promise<void> => started?.close(),
  }
}

/** Lists have slots of their own: only trusted issuers can name their URLs. */
function createListFetch(hosted: HostedDependencies): (url: string) => Promise<FetchHostedResult> {
  const slots = createSiteSlots()
  return (url) => {
    const askedAt = performance.now()
    return slots(url, async () => {
      const isLate = performance.now() - askedAt > LIST_WAIT_MS
      return isLate ? LIST_TOO_LATE : fetchHosted(url, MAX_LIST_BYTES, hosted)
    })
  }
}

async function findCardUrl(em: EntityManager, did: string): Promise<string | null> {
  const fields = ['agentCardUrl'] as const
  const agent = await em.fork().findOne(Agent, { owner: parseDid(did) }, { fields })
  return agent?.agentCardUrl ?? null
}
