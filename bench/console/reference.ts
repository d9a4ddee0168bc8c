import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const ROWS = 120
const CELLS = 8
/** Tasks of a page. Each reads the rows and shows them, like a part of the console. */
const TASKS = 8

const DATA = JSON.stringify(
  Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: CELLS }, (__, cell) => `Row ${row}, cell ${(row * 7919 + cell) % 1000}`),
  ),
)

const PAGE = `<!doctype html>
<title>Fixed work</title>
<style>td { padding: 4px; border-radius: 4px } tr:nth-child(odd) { background: #eee }</style>
<script type="module">
  for (let task = 0; task < ${TASKS}; task += 1) {
    const rows = await (await fetch('/rows?' + task)).json()
    const table = document.createElement('table')
    for (const cells of rows) {
      const row = table.insertRow()
      for (const text of cells) {
        const link = document.createElement('a')
        link.href = '#' + text
        link.append(text)
        row.insertCell().append(link)
      }
    }
    document.body.append(table)
    table.getBoundingClientRect()
  }
  window.took = performance.now()
</script>`

export interface Reference {
  readonly url: string
  stop(): Promise<void>
}

/** Serves a page of fixed work, which sets `took` to its milliseconds. */
export async function startReference(): Promise<Reference> {
  const server = createServer(({ url }, response) => {
    const isPage = url === '/'
    response.setHeader('content-type', isPage ? 'text/html' : 'application/json').end(isPage ? PAGE : DATA)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
