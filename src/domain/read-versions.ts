/** Groups of tables that responses depend on. `agents` includes the counts of agents. */
export const READ_TABLES = ['agents', 'stakes', 'history'] as const

export type ReadTables = (typeof READ_TABLES)[number]

/**
 * A version per group. Equal versions mean equal rows. While nothing changes, the object is the
 * same.
 */
export type Versions = Readonly<Partial<Record<ReadTables, string>>>

export interface ReadVersions {
  /** The result of the last read, which may be old. Null before the first read. */
  latest(): Versions | null
  /**
   * The versions of everything that was committed before the call. Callers share one statement.
   * Null if the database did not respond in time.
   */
  current(): Promise<Versions | null>
}

/** Whether the rows of these groups are the same in both. False if a group has no version. */
export function sameVersions(tables: readonly ReadTables[], one: Versions, other: Versions): boolean {
  return one === other || tables.every((each) => one[each] !== undefined && one[each] === other[each])
}
