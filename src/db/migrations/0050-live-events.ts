import { Migration } from '@mikro-orm/migrations'

/**
 * What live streams read of the outbox. An event that a fork took back and the ledger brought again gets a second place at the
 * end, so that who passed the first one while it was withdrawn comes by it. Streams of one agent have an index of their own.
 */
export class Migration0050LiveEvents extends Migration {
  override up(): void {
    this.addSql('alter table outbox_events add column restored_sequence bigint')
    this.addSql('create index outbox_events_restored on outbox_events (restored_sequence)')
    this.addSql('create index outbox_events_by_agent on outbox_events (agent_pda, sequence)')
  }
}
