import { Migration } from '@mikro-orm/migrations'

/**
 * Where each client stands with the limits that hold across replicas; `arrival` is GCRA's theoretical arrival time in milliseconds since 1970.
 * Unlogged: after a crash of the server everybody begins anew.
 */
export class Migration0017RateLimits extends Migration {
  override up(): void {
    this.addSql(`
      create unlogged table rate_limits (
        kind text collate "C" not null,
        client text collate "C" not null,
        arrival float8 not null,
        primary key (kind, client)
      ) with (fillfactor = 70)`)
  }
}
