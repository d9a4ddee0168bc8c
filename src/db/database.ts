import type {
  ClosedAccountsTable,
  DeactivationRecordsTable,
  RegistryConfigTable,
  ReputationReportersTable,
  StakesTable,
  WithdrawalRequestsTable,
} from './tables/accounts.ts'
import type {
  AgentCardChecksTable,
  AgentCardHostsTable,
  AgentCountsTable,
  AgentsTable,
} from './tables/agents.ts'
import type {
  AgentHistoryTable,
  DeadLettersTable,
  IndexerStateTable,
  LedgerEventsTable,
  LedgerTransactionsTable,
  OrphanedHistoryTable,
  OutboxEventsTable,
} from './tables/events.ts'
import type { RateLimitsTable } from './tables/rate-limits.ts'
import type { ReadVersionsTable } from './tables/read-versions.ts'
import type { AgentCredentialsTable } from './tables/credentials.ts'
import type { PreparedTransactionsTable } from './tables/relay.ts'
import type { InviteCodesTable, SponsorshipsTable } from './tables/sponsorship.ts'
import type { UsedSignaturesTable } from './tables/wallet-auth.ts'
import type {
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookSubscriptionsTable,
} from './tables/webhooks.ts'
import type { TrustedIssuersTable } from './tables/trusted-issuers.ts'

export type { StakesTable } from './tables/accounts.ts'
export type { AgentsTable } from './tables/agents.ts'
export type { Finality } from './tables/columns.ts'
export type { AgentHistoryTable } from './tables/events.ts'
export type { PreparedTransactionsTable } from './tables/relay.ts'
export type {
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookSubscriptionsTable,
} from './tables/webhooks.ts'

/** Row types for `em.getKysely<Database>()`. int8 is read as a number, numeric as text. */
export interface Database {
  agents: AgentsTable
  agent_counts: AgentCountsTable
  agent_card_checks: AgentCardChecksTable
  agent_card_hosts: AgentCardHostsTable
  agent_credentials: AgentCredentialsTable
  stakes: StakesTable
  registry_config: RegistryConfigTable
  withdrawal_requests: WithdrawalRequestsTable
  reputation_reporters: ReputationReportersTable
  deactivation_records: DeactivationRecordsTable
  closed_accounts: ClosedAccountsTable
  ledger_transactions: LedgerTransactionsTable
  ledger_events: LedgerEventsTable
  agent_history: AgentHistoryTable
  orphaned_history: OrphanedHistoryTable
  outbox_events: OutboxEventsTable
  dead_letters: DeadLettersTable
  indexer_state: IndexerStateTable
  prepared_transactions: PreparedTransactionsTable
  invite_codes: InviteCodesTable
  sponsorships: SponsorshipsTable
  used_signatures: UsedSignaturesTable
  rate_limits: RateLimitsTable
  read_versions: ReadVersionsTable
  webhook_subscriptions: WebhookSubscriptionsTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_attempts: WebhookAttemptsTable
  trusted_issuers: TrustedIssuersTable
}
