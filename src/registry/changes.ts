/** Runs a statement. Rows are arrays, in the order of the select list. */
export type RunQuery = (text: string, values: readonly unknown[]) => Promise<unknown[][]>

/** A table whose triggers write `search_xid` and `removed_…`, and what a copy reads of it. */
export interface CopiedTable {
  readonly name: string
  /** A select list. The first column is the pda. */
  readonly columns: readonly string[]
}

/** What a copy has read: everything that is visible in a snapshot of a server. */
export interface Position {
  readonly server: string
  readonly snapshot: string
}

export interface Change {
  /** The index of the table. */
  readonly table: number
  readonly pda: string
  /** Null if the row was deleted. */
  readonly values: readonly unknown[] | null
}

export interface Changes {
  readonly position: Position
  /** Null if there are too many, or the rows are those of another server. */
  readonly rows: readonly Change[] | null
}

const PAGE_SIZE = 5_000

/**
 * Text that changes if transaction ids can repeat, or rows can change without triggers: after a
 * start, a promotion, or a restored or renamed database. Null on a standby, whose snapshots do not
 * list the transactions that are running.
 */
export function serverText(tables: readonly string[]): string {
  const files = tables.map((table) => `' ' || pg_relation_filenode('${table}')`)
  return `(extract(epoch from pg_postmaster_start_time()) || ' ' ||
    (select oid from pg_database where datname = current_database()) || ' ' || ${files.join(' || ')} ||
    case when not pg_is_in_recovery() then ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) end)`
}

/** The values of `SINCE` for a position. */
export function sinceValues({ snapshot }: Position): readonly [first: string, running: readonly string[]] {
  const [, first = '', running = ''] = snapshot.split(':')
  return [first, running === '' ? [] : running.split(',')]
}

/** The keys of a table's rows that transactions wrote which `since` did not see. */
export function changedKeys(table: string, limit: number): string {
  // `order by` makes PostgreSQL read the index also if it does not know the ids when it plans.
  // Without the upper bound, it would read all rows of a restored database whose ids are higher.
  return [table, `removed_${table}`]
    .flatMap((each) => [
      `(select pda from ${each} where search_xid >= (select first from since)
        and search_xid < pg_snapshot_xmax(pg_current_snapshot()) order by search_xid limit ${limit})`,
      `(select pda from ${each} where search_xid = any((select running from since)::xid8[])
        order by search_xid limit ${limit})`,
    ])
    .join(' union all ')
}

/** Reads tables for a copy, and what changed since. */
export class ChangeFeed {
  readonly #tables: readonly CopiedTable[]
  readonly #query: RunQuery
  readonly #position: string
  readonly #statements = new Map<number, string>()

  constructor(tables: readonly CopiedTable[], query: RunQuery) {
    this.#tables = tables
    this.#query = query
    this.#position = `${serverText(tables.map(({ name }) => name))}, pg_current_snapshot()::text`
  }

  async position(): Promise<Position> {
    return readPosition((await this.#query(`select ${this.#position}`, []))[0]!)
  }

  /** All rows in parts, in the order of pda. Changes since an earlier position are in them or follow it. */
  async *pages(table: number): AsyncGenerator<unknown[][]> {
    const { name, columns } = this.#tables[table]!
    const text = `select ${columns.join(', ')} from ${name} where pda > $1 order by pda limit ${PAGE_SIZE}`
    for (let last = ''; ;) {
      const rows = await this.#query(text, [last])
      yield rows
      if (rows.length < PAGE_SIZE) return
      last = rows.at(-1)![0] as string
    }
  }

  /** What was committed since a position, read in one snapshot. */
  async changes(since: Position, limit: number): Promise<Changes> {
    const [first, ...others] = await this.#query(this.#changesText(limit), sinceValues(since))
    const position = readPosition(first!)
    const rows = first![2] === null ? [] : [first!, ...others]
    if (position.server !== since.server || rows.length > limit) return { position, rows: null }
    return { position, rows: rows.map((row) => this.#changeOf(row)) }
  }

  #changeOf([, , table, pda, ...values]: readonly unknown[]): Change {
    let start = 0
    for (const { columns } of this.#tables.slice(0, table as number)) start += columns.length
    const own = values.slice(start, start + this.#tables[table as number]!.columns.length)
    return { table: table as number, pda: pda as string, values: own[0] === null ? null : own }
  }

  #changesText(limit: number): string {
    const known = this.#statements.get(limit)
    if (known !== undefined) return known
    const keys = this.#tables.map(
      ({ name }, i) => `select ${i} as place, pda from (${changedKeys(name, limit + 1)}) as keys`,
    )
    // Without its limit, a join could read the whole table to find no row.
    const rows = this.#tables.map(
      ({ name, columns }, i) => `left join lateral (
        select ${columns.join(', ')} from ${name} where changed.place = ${i} and ${name}.pda = changed.pda limit 1
      ) as row_${i} on true`,
    )
    const text = `
      with since as (select $1::xid8 as first, $2::xid8[] as running)
      select ${this.#position}, changed.place, changed.pda, ${rows.map((_, i) => `row_${i}.*`).join(', ')}
      from (select) as position
      left join (${keys.join(' union all ')}) as changed on true ${rows.join(' ')} limit ${limit + 1}`
    this.#statements.set(limit, text)
    return text
  }
}

function readPosition([server, snapshot]: readonly unknown[]): Position {
  if (server === null) throw new Error('the database is a standby')
  return { server: server as string, snapshot: snapshot as string }
}
