import { Migration } from '@mikro-orm/migrations'

/** The tables that cached reads are made of, by group. */
const TABLES = {
  agents: ['agents', 'agent_counts'],
  stakes: ['stakes'],
  history: ['agent_history'],
}

const CHANGED = {
  insert: 'new table as changed',
  update: 'new table as changed',
  delete: 'old table as changed',
}

/**
 * Which transactions changed a group of tables last, kept by statement-level triggers in the transaction itself. What a reader sees of a group's rows,
 * in the order of `place`, is never seen again once a change is committed, since a transaction's number is used once.
 *
 * A writer takes any row of its group that no other writer holds, and adds one where all are held: it waits for nobody, so that it cannot deadlock. There
 * come to be as many rows as there were writers at once.
 */
export class Migration0060ReadVersions extends Migration {
  override up(): void {
    this.addSql(`
      create table read_versions (
        tables text collate "C" not null,
        place bigint not null,
        changed_by bigint not null,
        primary key (tables, place)
      )`)
    this.addSql(`
      insert into read_versions (tables, place, changed_by)
      select tables, 0, 0 from unnest('{${Object.keys(TABLES).join(', ')}}'::text[]) as tables`)
    this.addSql(`
      create function note_read_version() returns trigger language plpgsql as $$
      declare
        change bigint;
        free bigint;
      begin
        if tg_op <> 'TRUNCATE' then
          if not exists (select from changed) then return null; end if;
        end if;
        change := pg_current_xact_id()::text::bigint;
        if exists (select from read_versions where tables = tg_argv[0] and changed_by = change) then return null; end if;
        select place into free from read_versions where tables = tg_argv[0] limit 1 for update skip locked;
        if found then
          update read_versions set changed_by = change where tables = tg_argv[0] and place = free;
        else
          insert into read_versions (tables, place, changed_by) values (tg_argv[0], change, change);
        end if;
        return null;
      end $$`)
    for (const [group, tables] of Object.entries(TABLES)) {
      for (const table of tables) {
        for (const [operation, changed] of Object.entries(CHANGED)) {
          this.addSql(`
            create trigger note_read_version_${operation} after ${operation} on ${table}
            referencing ${changed} for each statement execute function note_read_version('${group}')`)
        }
        this.addSql(`
          create trigger note_read_version_truncate after truncate on ${table}
          for each statement execute function note_read_version('${group}')`)
      }
    }
  }
}
