import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BROWSER } from './browser.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Serves pages to a real browser. `read` returns the file at a path, or null. */
export async function createBrowserPages(read: (path: string) => string | null) {
  const { promise: result, resolve } = Promise.withResolvers<unknown>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.replace(/\?.*/, '')
    if (path === '/result') {
      resolve(JSON.parse(Buffer.concat((await request.toArray()) as Buffer[]).toString()))
      return void response.end()
    }
    const file = read(path)
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    response.writeHead(file === null ? 404 : 200, { 'content-type': type }).end(file)
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const browsers: ChildProcess[] = []
  return {
    origin,
    /** What a page sends as JSON with POST /result. */
    result,
    open: (path: string) => {
      const profile = temporaryFolder('browser-profile-')
      const options = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`]
      const url = origin + path
      browsers.push(spawn(BROWSER!, [...options, '--remote-debugging-port=0', url], { stdio: 'ignore' }))
    },
    close: async () => {
      for (const browser of browsers) {
        browser.kill('SIGKILL')
        await once(browser, 'exit')
      }
      server.close()
    },
  }
}
