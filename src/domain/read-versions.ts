/** Groups of tables that answers are made of: `agents` is agents with their counts, `history` their history entries. */
export const READ_TABLES = ['agents', 'stakes', 'history'] as const

export type ReadTables = (typeof READ_TABLES)[number]

/** A text for each group: the same text means the same rows. While nothing changes it is the same object. */
export type Versions = Readonly<Partial<Record<ReadTables, string>>>

export interface ReadVersions {
  /** What the last look found, which may be long ago; null before the first. */
  latest(): Versions | null
  /**
   * The versions now: no older than what was committed when it was called. One statement, shared by those who call before it starts. Null where
   * the database took too long to tell.
   */
  current(): Promise<Versions | null>
}

/** Whether the rows of these groups are the same at both versions; of a group that has none, nobody knows. */
export function sameVersions(tables: readonly ReadTables[], one: Versions, other: Versions): boolean {
  return one === other || tables.every((each) => one[each] !== undefined && one[each] === other[each])
}
