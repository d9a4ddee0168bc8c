import { Migration } from '@mikro-orm/migrations'

/** Issuers whose credentials count, with the keys that their DIDs do not tell themselves. */
export class Migration0030TrustedIssuers extends Migration {
  override up(): void {
    this.addSql(`
      create table trusted_issuers (
        did text collate "C" primary key,
        allowed_types text[],
        pinned_keys jsonb,
        not_before timestamptz,
        not_after timestamptz,
        enabled boolean not null default true,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint trusted_issuers_period check (not_before <= not_after)
      )`)
  }
}
