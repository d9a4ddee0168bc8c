import { Agent } from './agent.ts'
import { AgentCardCheck } from './agent-card-check.ts'
import { AgentCardHost } from './agent-card-host.ts'
import { AgentCount } from './agent-count.ts'
import { AgentCredential } from './agent-credential.ts'
import { AgentHistoryEntry } from './agent-history-entry.ts'
import { ClosedAccount } from './closed-account.ts'
import { DeactivationRecord } from './deactivation-record.ts'
import { DeadLetter } from './dead-letter.ts'
import { IndexerState } from './indexer-state.ts'
import { InviteCode } from './invite-code.ts'
import { LedgerEvent } from './ledger-event.ts'
import { LedgerTransaction } from './ledger-transaction.ts'
import { OrphanedHistoryEntry } from './orphaned-history-entry.ts'
import { OutboxEvent } from './outbox-event.ts'
import { PreparedTransaction } from './prepared-transaction.ts'
import { RateLimit } from './rate-limit.ts'
import { ReadVersion } from './read-version.ts'
import { RegistryConfig } from './registry-config.ts'
import { ReputationReporter } from './reputation-reporter.ts'
import { Sponsorship } from './sponsorship.ts'
import { Stake } from './stake.ts'
import { UsedSignature } from './used-signature.ts'
import { WebhookAttempt } from './webhook-attempt.ts'
import { WebhookDelivery } from './webhook-delivery.ts'
import { WebhookSubscription } from './webhook-subscription.ts'
import { TrustedIssuer } from './trusted-issuer.ts'
import { WithdrawalRequest } from './withdrawal-request.ts'

/** Every entity, for the ORM. */
export const entities = [
  Agent,
  AgentCardCheck,
  AgentCardHost,
  AgentCount,
  AgentCredential,
  AgentHistoryEntry,
  ClosedAccount,
  DeactivationRecord,
  DeadLetter,
  IndexerState,
  InviteCode,
  LedgerEvent,
  LedgerTransaction,
  OrphanedHistoryEntry,
  OutboxEvent,
  PreparedTransaction,
  RateLimit,
  ReadVersion,
  RegistryConfig,
  ReputationReporter,
  Sponsorship,
  Stake,
  UsedSignature,
  WebhookAttempt,
  WebhookDelivery,
  WebhookSubscription,
  TrustedIssuer,
  WithdrawalRequest,
]
