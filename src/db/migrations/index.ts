import { Migration0001Registry } from './0001-registry.ts'
import { Migration0002AgentCounts } from './0002-agent-counts.ts'
import { Migration0003Events } from './0003-events.ts'
import { Migration0004ReadIndexes } from './0004-read-indexes.ts'
import { Migration0010Relay } from './0010-relay.ts'
import { Migration0011Sponsorship } from './0011-sponsorship.ts'
import { Migration0015WalletAuth } from './0015-wallet-auth.ts'
import { Migration0017RateLimits } from './0017-rate-limits.ts'
import { Migration0020Webhooks } from './0020-webhooks.ts'
import { Migration0030TrustedIssuers } from './0030-trusted-issuers.ts'
import { Migration0032Credentials } from './0032-credentials.ts'
import { Migration0035AgentCards } from './0035-agent-cards.ts'
import { Migration0040OrphanedHistory } from './0040-orphaned-history.ts'
import { Migration0050LiveEvents } from './0050-live-events.ts'
import { Migration0051OpenRegistrations } from './0051-open-registrations.ts'
import { Migration0060ReadVersions } from './0060-read-versions.ts'
import { Migration0061ReadVersionsAlways } from './0061-read-versions-always.ts'
import { Migration0062CatchUp } from './0062-catch-up.ts'

/** Every migration in the order in which it is applied. A folder scan would not work from inside node_modules. */
export const migrationsList = [
  { name: '0001-registry', class: Migration0001Registry },
  { name: '0002-agent-counts', class: Migration0002AgentCounts },
  { name: '0003-events', class: Migration0003Events },
  { name: '0004-read-indexes', class: Migration0004ReadIndexes },
  { name: '0010-relay', class: Migration0010Relay },
  { name: '0011-sponsorship', class: Migration0011Sponsorship },
  { name: '0015-wallet-auth', class: Migration0015WalletAuth },
  { name: '0017-rate-limits', class: Migration0017RateLimits },
  { name: '0020-webhooks', class: Migration0020Webhooks },
  { name: '0030-trusted-issuers', class: Migration0030TrustedIssuers },
  { name: '0032-credentials', class: Migration0032Credentials },
  { name: '0035-agent-cards', class: Migration0035AgentCards },
  { name: '0040-orphaned-history', class: Migration0040OrphanedHistory },
  { name: '0050-live-events', class: Migration0050LiveEvents },
  { name: '0051-open-registrations', class: Migration0051OpenRegistrations },
  { name: '0060-read-versions', class: Migration0060ReadVersions },
  { name: '0061-read-versions-always', class: Migration0061ReadVersionsAlways },
  { name: '0062-catch-up', class: Migration0062CatchUp },
]
