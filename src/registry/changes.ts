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

/**
 * Text that changes if transaction ids can repeat, or rows can change without triggers: after a
 * start, a crash, a promotion, or a restored or renamed database. Null on a standby, whose
 * snapshots do not list the transactions that are running.
 */
export function serverText(tables: readonly string[]): string {
  const files = tables.map((table) => `' ' || pg_relation_filenode('${table}')`)
  // A crash of one session ends all, loses the last ids, and starts statistics again.
  return `(extract(epoch from pg_postmaster_start_time()) || ' ' ||
    coalesce(extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), 0) || ' ' ||
    (select oid from pg_database where datname = current_database()) || ' ' || ${files.join(' || ')} ||
    case when not pg_is_in_recovery() then ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) end)`
}

/** The first transaction that a snapshot cannot see, and earlier ones that it does not see. */
export function unseenBy({ snapshot }: Position): readonly [first: string, running: readonly string[]] {
  const [, first = '', running = ''] = snapshot.split(':')
  return [first, running === '' ? [] : running.split(',')]
}

/** Whether the snapshot of `position` sees every transaction that the snapshot of `other` sees. */
export function covers(position: Position, other: Position): boolean {
  if (position.server !== other.server) return false
  const [first, running] = unseenBy(position)
  const [otherFirst, otherRunning] = unseenBy(other)
  const unseenByOther = new Set(otherRunning)
  const end = BigInt(otherFirst)
  if (running.some((id) => BigInt(id) < end && !unseenByOther.has(id))) return false
  if (end - BigInt(first) > otherRunning.length) return false
  for (let id = BigInt(first); id < end; id += 1n) if (!unseenByOther.has(String(id))) return false
  return true
}

/**
 * Selects the pda of rows that transactions wrote which a position does not have. `first` and
 * `running` are SQL for what `unseenBy` returns.
 */
function changedRows(table: string, limit: number, first: string, running: string | null): string[] {
  // `order by` makes PostgreSQL read the index also if it does not know the ids when it plans.
  // Without the upper bound, it would read all rows of a restored database whose ids are higher.
  const conditions = [
    `search_xid >= ${first} and search_xid < pg_snapshot_xmax(pg_current_snapshot())`,
    ...(running === null ? [] : [`search_xid = any(${running})`]),
  ]
  return [table, `removed_${table}`].flatMap((name) =>
    conditions.map(
      (condition) => `(select pda from ${name} where ${condition} order by search_xid limit ${limit})`,
    ),
  )
}

/** Whether there are such rows. */
export function isChanged(tables: readonly string[], first: string, running: string | null): string {
  const rows = tables.flatMap((table) => changedRows(table, 1, first, running))
  return `(${rows.map((each) => `${each} is not null`).join(' or ')})`
}

// If the best plan of a prepared statement can depend on a value, PostgreSQL plans it for each
// execution, which takes longer than to run it. It cannot depend on the result of a subquery.
const FIRST = '(select $1::xid8)'
const RUNNING = '(select $2::xid8[])::xid8[]'

/** Reads tables for a copy, and what changed since. */
export class ChangeFeed {
  readonly #tables: readonly CopiedTable[]
  readonly #query: RunQuery
  readonly #position: string
  readonly #statements = new Map<string, string>()

  constructor(tables: readonly CopiedTable[], query: RunQuery) {
    this.#tables = tables
    this.#query = query
    this.#position = `${serverText(tables.map(({ name }) => name))}, pg_current_snapshot()::text`
  }

  async position(): Promise<Position> {
    return readPosition((await this.#query(`select ${this.#position}`, []))[0]!)
  }

  /** All rows of a table. Null if there are more than `limit`. */
  async rows(table: number, limit: number): Promise<unknown[][] | null> {
    const { name, columns } = this.#tables[table]!
    const rows = await this.#query(`select ${columns.join(', ')} from ${name} limit ${limit + 1}`, [])
    return rows.length > limit ? null : rows
  }

  /**
   * Whether anything was committed since a position, or the server is another one. Takes a third of
   * the time of `changes`.
   */
  async check(since: Position): Promise<{ position: Position; isChanged: boolean }> {
    const [text, values] = this.#statement(since, 'check', (ids) => this.#checkText(ids))
    const [checked] = await this.#query(text, values)
    const position = readPosition(checked!)
    return { position, isChanged: position.server !== since.server || checked![2] === true }
  }

  /** What was committed since a position, read in one snapshot. */
  async changes(since: Position, limit: number): Promise<Changes> {
    const [text, values] = this.#statement(since, limit, (ids) => this.#changesText(limit, ids))
    const rows = await this.#query(text, values)
    const position = readPosition(rows[0]!)
    if (position.server !== since.server || rows.length > limit) return { position, rows: null }
    const changed = rows.filter(([, , table]) => table !== null)
    return { position, rows: changed.map((row) => this.#changeOf(row)) }
  }

  #statement(since: Position, name: string | number, textOf: (ids: string | null) => string) {
    const [first, running] = unseenBy(since)
    const ids = running.length === 0 ? null : RUNNING
    const key = `${name} ${ids}`
    const text = this.#statements.get(key) ?? textOf(ids)
    this.#statements.set(key, text)
    return [text, ids === null ? [first] : [first, running]] as const
  }

  #checkText(running: string | null): string {
    const names = this.#tables.map(({ name }) => name)
    return `select ${this.#position}, ${isChanged(names, FIRST, running)}`
  }

  #changeOf([, , table, pda, ...values]: readonly unknown[]): Change {
    let start = 0
    for (const { columns } of this.#tables.slice(0, table as number)) start += columns.length
    const own = values.slice(start, start + this.#tables[table as number]!.columns.length)
    return { table: table as number, pda: pda as string, values: own[0] === null ? null : own }
  }

  #changesText(limit: number, running: string | null): string {
    const keys = this.#tables.flatMap(({ name }, i) =>
      changedRows(name, limit + 1, FIRST, running).map(
        (rows) => `select ${i} as place, pda from ${rows} as keys`,
      ),
    )
    // Without its limit, a join could read the whole table to find no row.
    const rows = this.#tables.map(
      ({ name, columns }, i) => `left join lateral (
        select ${columns.join(', ')} from ${name} where changed.place = ${i} and ${name}.pda = changed.pda limit 1
      ) as row_${i} on true`,
    )
    return `
      select ${this.#position}, changed.place, changed.pda, ${rows.map((_, i) => `row_${i}.*`).join(', ')}
      from (select) as position
      left join (${keys.join(' union all ')}) as changed on true ${rows.join(' ')} limit ${limit + 1}`
  }
}

function readPosition([server, snapshot]: readonly unknown[]): Position {
  if (server === null) throw new Error('the database is a standby')
  return { server: server as string, snapshot: snapshot as string }
}
