import type { Client } from 'pg'
import type { Orm } from '../../db/orm-types.ts'
import { openSession } from '../../db/session.ts'

const PAGE_SIZE = 1_000

/**
 * The signatures that the ledger lists. In a temporary table, since they may not fit into memory.
 */
export interface ListedSignatures extends AsyncDisposable {
  add(signatures: readonly string[]): Promise<void>
  /** The signatures that a table contains as valid and the ledger does not list, in pages. */
  unlisted(): AsyncGenerator<string[]>
}

/** Opens a database session for them. Dispose it to close the session. */
export async function openListedSignatures(orm: Orm): Promise<ListedSignatures> {
  const session = await openSession(orm)
  try {
    await session.query('set statement_timeout = 0')
    // The transaction of `unlisted` is idle while transactions are fetched.
    await session.query('set idle_in_transaction_session_timeout = 0')
    await session.query('create temporary table listed (signature text collate "C" not null)')
  } catch (error) {
    await session.end()
    throw error
  }
  return {
    add: async (signatures) => {
      await session.query('insert into listed select unnest($1::text[])', [signatures])
    },
    unlisted: () => unlisted(session),
    [Symbol.asyncDispose]: () => session.end(),
  }
}

async function* unlisted(session: Client): AsyncGenerator<string[]> {
  await session.query(`
    create temporary table unlisted as
    select signature from ledger_transactions where finality <> 'orphaned'
    union all select signature from ledger_events where finality <> 'orphaned'
    union all select signature from dead_letters where signature is not null
    except select signature from listed`)
  await session.query('begin')
  await session.query('declare page cursor for select signature from unlisted')
  for (;;) {
    const { rows } = await session.query<{ signature: string }>(`fetch ${PAGE_SIZE} from page`)
    if (rows.length === 0) break
    yield rows.map((row) => row.signature)
  }
  await session.query('commit')
}
