import { Migration } from '@mikro-orm/migrations'

/** The filters of a list, carried along so that a page's keys and its count are read from the index alone. */
const FILTERS = 'tier, status, service_category, card_hash_mismatch'

/**
 * The orders of `GET /agents`, each with ties by pda. Names are in byte order, the same whatever the server's locale.
 * Reputation has an index for each direction, since thousands of agents may share a score.
 */
export class Migration0004ReadIndexes extends Migration {
  override up(): void {
    for (const index of ['agents_by_created_at', 'agents_by_reputation', 'agents_by_name']) {
      this.addSql(`drop index ${index}`)
    }
    this.addSql(
      `create index agents_by_created_at on agents (created_at desc, pda) include (${FILTERS}, reputation_score)`,
    )
    this.addSql(
      `create index agents_by_reputation on agents (reputation_score desc, pda) include (${FILTERS})`,
    )
    this.addSql(
      `create index agents_by_reputation_rising on agents (reputation_score, pda) include (${FILTERS})`,
    )
    this.addSql(
      `create index agents_by_name on agents (name collate "C", pda) include (${FILTERS}, reputation_score)`,
    )
  }
}
