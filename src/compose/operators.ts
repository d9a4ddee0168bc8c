import type { EntityManager } from '../db/orm-types.ts'
import { DomainError } from '../domain/errors.ts'
import { integerParameter, optional, textParameter, timeParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import type { SponsorLimits } from '../domain/sponsorship.ts'
import { createTrustedIssuers, MAX_DID_LENGTH } from '../identity/credentials/trusted-issuers.ts'
import { readDeadLetters, requestRetry } from '../ledger/indexer/finality/retries.ts'
import { bearerCheck } from '../platform/bearer.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { CODE_USES, createInviteCodes, isInviteCodeId } from '../transactions/invite-codes.ts'
import { readSponsorshipReport } from '../transactions/sponsorship-report.ts'
import { readFailingWebhooks, readWebhookStats } from '../webhooks/metrics.ts'

export type Operator = ReturnType<ReturnType<typeof createOperators>['authorize']>

interface OperatorOptions {
  readonly em: EntityManager
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info'>
  readonly limits: Pick<SponsorLimits, 'dailyBudget' | 'minBalance'>
  /** OPERATOR_TOKEN. Null: nobody is an operator. */
  readonly token: string | null
}

/** What only an operator may read and change. Each call reads the tables. */
export function createOperators({ em, clock, logger, limits, token }: OperatorOptions) {
  const kysely = em.getKysely()
  const isOperator = bearerCheck(token)
  const codes = createInviteCodes(em)
  const issuers = createTrustedIssuers({ em, clock })
  const operator = {
    sponsorship: async () => ({
      dailyBudgetLamports: String(limits.dailyBudget),
      minBalanceLamports: String(limits.minBalance),
      ...(await readSponsorshipReport(kysely)),
    }),
    webhooks: async () => ({
      ...(await readWebhookStats(kysely)),
      failing: await readFailingWebhooks(kysely),
    }),
    /** The newest 50 records of the ledger that the indexer could not read. */
    deadLetters: () => readDeadLetters(kysely),
    inviteCodes: () => codes.list(LISTED_CODES),
    /** `allowedTypes` is empty for an issuer of every type. */
    issuers: async () =>
      (await issuers.list()).map(({ did, allowedTypes, notBefore, notAfter, enabled }) => ({
        did,
        allowedTypes: allowedTypes ?? [],
        notBefore,
        notAfter,
        enabled,
      })),
    /** The code is shown only once. Throws INVALID_INTEGER and INVALID_TEXT. */
    createInviteCode: async (uses?: number | null, expires?: string | null): Promise<string> => {
      const maxUses = optional(readUses, 'maxUses', uses) ?? 1
      const expiresAt = readExpiry(expires, clock)
      const { code, id } = await codes.create({ maxUses, expiresAt })
      logger.info({ id, maxUses, expiresAt }, 'an operator created an invite code')
      return code
    },
    /**
     * Prepared registrations that were not submitted become invalid. It takes no code, because it
     * logs the id.
     */
    revokeInviteCode: async (id: string): Promise<void> => {
      if (!isInviteCodeId(id) || !(await codes.revoke(id)))
        throw new DomainError('INVITE_CODE_NOT_FOUND', { id: quoted(id) })
      logger.info({ id }, 'an operator revoked an invite code')
    },
    /** Applies within a second, also to credentials that are listed. */
    setIssuerEnabled: async (did: string, enabled: boolean): Promise<void> => {
      if (!(await issuers.setEnabled(readDid('did', did), enabled)))
        throw new DomainError('ISSUER_NOT_FOUND', { did: quoted(did) })
      logger.info({ did, enabled }, 'an operator changed whether an issuer is trusted')
    },
    /**
     * The indexer asks the ledger nodes again within ten seconds. Throws INVALID_TEXT and
     * DEAD_LETTER_NOT_FOUND.
     */
    retryDeadLetter: async (id: string): Promise<void> => {
      if (!(await requestRetry(kysely, readDeadLetterId('id', id))))
        throw new DomainError('DEAD_LETTER_NOT_FOUND', { id: quoted(id) })
      logger.info({ id }, 'an operator requested a retry of a dead letter')
    },
  }
  return {
    /** Throws OPERATOR_FORBIDDEN unless the Authorization header has the token. */
    authorize: (authorization: string | undefined) => {
      if (!isOperator(authorization)) throw new DomainError('OPERATOR_FORBIDDEN')
      return operator
    },
  }
}

function readExpiry(expires: string | null | undefined, clock: Clock): Date | null {
  const expiresAt = optional(timeParameter, 'expiresAt', expires) ?? null
  if (expiresAt === null || expiresAt.getTime() > clock.now()) return expiresAt
  const problem = 'must be in the future'
  throw new DomainError('INVALID_TEXT', { parameter: 'expiresAt', problem, value: quoted(expires) })
}

const readUses = integerParameter(CODE_USES)
const readDid = textParameter(MAX_DID_LENGTH)
/** Longer than the ids of dead letters: a kind and a signature or an address. */
const readDeadLetterId = textParameter(256)

/** The newest invite codes, which a list shows. */
export const LISTED_CODES = 500
