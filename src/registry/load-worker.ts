import { parentPort, workerData } from 'node:worker_threads'
import { Client, type Connection, type Submittable } from 'pg'
import type { ThreadOptions } from './loader.ts'
import { type IndexedTable, type TableData, TableLoader } from './table-data.ts'

const { connection, tables, maxBytes, silentMs } = workerData as ThreadOptions

/** Reads a table with `copy`, whose rows the driver does not decode. */
function copyOut(
  client: Client,
  { name, columns }: IndexedTable,
  onRow: (row: Buffer) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const text = `copy (select ${columns.join(', ')} from ${name}) to stdout (format binary)`
  const submittable: Submittable & Record<string, unknown> = {
    submit: (to: Connection) => to.query(text),
    handleCopyData: ({ chunk }: { chunk: Buffer }) => onRow(chunk),
    handleCommandComplete: () => {},
    // Also called if the connection is lost. Then `handleReadyForQuery` is not.
    handleError: reject,
    handleReadyForQuery: () => resolve(),
  }
  client.query(submittable)
  return promise
}

function finish(loaded: readonly TableData[] | null): never {
  parentPort!.postMessage(loaded, buffersOf(loaded))
  process.exit()
}

function buffersOf(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(buffersOf) : []
}

// A machine that is gone, or a proxy that forgot the connection, ends nothing by itself.
const silence = setTimeout(() => {
  throw new Error(`PostgreSQL sent nothing for ${silentMs} ms`)
}, silentMs)
const client = new Client({ ...connection, application_name: 'registry-load', keepAlive: true })
await client.connect()
await client.query('set statement_timeout = 0')
const loaded: TableData[] = []
let bytes = 0
for (const table of tables) {
  // Sorting the last table may have taken long.
  silence.refresh()
  const loader = new TableLoader(table)
  await copyOut(client, table, (row) => {
    silence.refresh()
    loader.addCopied(row)
    if (bytes + loader.bytes > maxBytes) finish(null)
  })
  bytes += loader.bytes
  loaded.push(loader.finish())
}
finish(loaded)
