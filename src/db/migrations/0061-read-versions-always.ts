import { Migration } from '@mikro-orm/migrations'

const TABLES = ['agents', 'agent_counts', 'stakes', 'agent_history']
const OPERATIONS = ['insert', 'update', 'delete', 'truncate']

/** A change counts also where `session_replication_role` is `replica`, as for what logical replication applies: other triggers do not fire then. */
export class Migration0061ReadVersionsAlways extends Migration {
  override up(): void {
    for (const table of TABLES) {
      for (const operation of OPERATIONS)
        this.addSql(`alter table ${table} enable always trigger note_read_version_${operation}`)
    }
  }
}
