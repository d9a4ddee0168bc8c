import { Migration } from '@mikro-orm/migrations'

/**
 * What each event costs while history is read; with many of them, most of that is random places of large indexes.
 *
 * An event and its entry in an agent's history are written in one transaction and leave in one, which the audit holds to, so that no foreign key has to.
 * What is only looked up by equality has a hash index, a quarter as large. Few events ever have a second place in the outbox. No query
 * looks for an agent's raw events.
 *
 * `commits` grows with every commit of an indexer, which notices by it that the server has lost one.
 */
export class Migration0062CatchUp extends Migration {
  override up(): void {
    this.addSql('alter table indexer_state add column commits bigint not null default 0')
    this.addSql('alter table agent_history drop constraint agent_history_event_id_fkey')
    this.addSql('drop index ledger_events_by_agent')
    this.addSql('drop index ledger_events_signature')
    this.addSql('create index ledger_events_signature on ledger_events using hash (signature)')
    this.addSql('drop index outbox_events_event')
    this.addSql('create index outbox_events_event on outbox_events using hash (event_id)')
    this.addSql('drop index outbox_events_restored')
    this.addSql(
      'create index outbox_events_restored on outbox_events (restored_sequence) where restored_sequence is not null',
    )
  }
}
