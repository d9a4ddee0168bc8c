/** Rows by their keys; without those that do not exist. */
type Rows<Row> = ReadonlyMap<string, Row>

interface Gathering<Row> {
  readonly keys: Set<string>
  readonly rows: Promise<Rows<Row>>
}

/**
 * Makes a reader of single rows that reads what is asked for in one turn of the event loop at once, `most` keys at a time. Each read starts after all that
 * share it have been asked for, and is kept for none that comes later, so that an answer is as new as one read alone.
 */
export function gather<Row>(
  read: (keys: readonly string[]) => Promise<Rows<Row>>,
  most: number,
): (key: string) => Promise<Row | undefined> {
  let open: Gathering<Row> | null = null
  const begin = (): Gathering<Row> => {
    const { promise, resolve } = Promise.withResolvers<Rows<Row>>()
    const begun = { keys: new Set<string>(), rows: promise }
    setImmediate(() => {
      if (open === begun) open = null
      resolve(read([...begun.keys]))
    })
    return begun
  }
  return async (key) => {
    const gathering = (open ??= begin())
    gathering.keys.add(key)
    if (gathering.keys.size === most) open = null
    return (await gathering.rows).get(key)
  }
}
