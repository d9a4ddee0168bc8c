import { Migration } from '@mikro-orm/migrations'

/**
 * Whoever has a code can prepare a registration of any wallet. One that nobody has signed blocks the wallet for its client alone; the rule is of
 * those that are signed.
 */
export class Migration0051OpenRegistrations extends Migration {
  override up(): void {
    this.addSql('drop index sponsorships_one_per_wallet')
    this.addSql(`
      create unique index sponsorships_one_per_wallet on sponsorships (wallet)
      where kind = 'registration' and state in ('submitted', 'confirmed')`)
    this.addSql(`
      create index sponsorships_prepared_registrations on sponsorships (wallet, client_network)
      where kind = 'registration' and state = 'reserved'`)
  }
}
