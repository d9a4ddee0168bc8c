import * as agentCards from './agent-cards.ts'
import * as agents from './agents.ts'
import * as credentials from './credentials.ts'
import * as ledgerAccounts from './ledger-accounts.ts'
import * as ledgerEvents from './ledger-events.ts'
import * as preparedTransactions from './prepared-transactions.ts'
import * as requests from './requests.ts'
import * as sessions from './sessions.ts'
import * as sponsorship from './sponsorship.ts'
import * as webhooks from './webhooks.ts'

/** Every entity. */
export const entities = Object.values({
  ...agentCards,
  ...agents,
  ...credentials,
  ...ledgerAccounts,
  ...ledgerEvents,
  ...preparedTransactions,
  ...requests,
  ...sessions,
  ...sponsorship,
  ...webhooks,
})
