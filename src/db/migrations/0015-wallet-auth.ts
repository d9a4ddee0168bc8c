import { Migration } from '@mikro-orm/migrations'

/** Signatures of wallets that were used, so that none is used twice on any replica. */
export class Migration0015WalletAuth extends Migration {
  override up(): void {
    this.addSql(`
      create table used_signatures (
        hash text collate "C" primary key,
        used_at timestamptz not null default now()
      )`)
    this.addSql('create index used_signatures_used_at on used_signatures (used_at)')
  }
}
