import { Migration } from '@mikro-orm/migrations'

/** History entries whose event a fork took back: out of the agent's history, and kept apart, since readers may have seen them. */
export class Migration0040OrphanedHistory extends Migration {
  override up(): void {
    this.addSql(`
      create table orphaned_history (
        event_id text collate "C" primary key,
        position text collate "C" not null,
        agent_pda text collate "C" not null,
        event_type text not null,
        old_value text not null,
        new_value text not null,
        delta text,
        occurred_at timestamptz not null,
        orphaned_at timestamptz not null default now()
      )`)
    this.addSql('create index orphaned_history_by_agent on orphaned_history (agent_pda, position desc)')
  }
}
