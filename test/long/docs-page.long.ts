import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTestApp, type TestApp } from '../support/app.ts'
import { agentRow, insertAgents, insertHistory, insertStakes, keyOf, stakeRow } from '../support/factories.ts'
import { BROWSER } from './support/browser.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { scaled } from '../support/machine-speed.ts'

const PHONE = { width: 390, height: 844, deviceScaleFactor: 2, mobile: true }

let t: TestApp
let browser: ChildProcess
let send: <Result>(method: string, params?: object) => Promise<Result>

beforeAll(async () => {
  if (BROWSER === undefined) return
  t = await createTestApp({ listens: true })
  await insertAgents(t.kysely, [agentRow('Live')])
  await insertStakes(t.kysely, [stakeRow('Live')])
  await insertHistory(t.kysely, 'Live', [{}])
  const profile = temporaryFolder('docs-page-')
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0']
  browser = spawn(BROWSER, [...options, `--user-data-dir=${profile}`, 'about:blank'])
  const endpoint = await debuggingUrl(browser)
  const targets = (await (await fetch(`http://${new URL(endpoint).host}/json`)).json()) as {
    type: string
    webSocketDebuggerUrl: string
  }[]
  send = await connect(targets.find(({ type }) => type === 'page')!.webSocketDebuggerUrl)
  await send('Emulation.setDeviceMetricsOverride', PHONE)
  await send('Page.navigate', { url: `${t.url}/docs/` })
})
afterAll(async () => {
  browser?.kill()
  await t?.close()
})

const POLLING = { timeout: scaled(30_000), interval: 50 }

async function debuggingUrl({ stderr }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stderr! })) {
    const url = /^DevTools listening on (ws:.*)$/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('The browser ended')
}

async function connect(url: string): Promise<typeof send> {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (result: unknown) => void>()
  socket.on('message', (data: Buffer) => {
    const { id, result } = JSON.parse(data.toString()) as { id: number; result: unknown }
    waiting.get(id)?.(result)
  })
  await new Promise((resolve) => socket.once('open', resolve))
  return (method, params = {}) =>
    new Promise((resolve) => {
      const id = waiting.size
      waiting.set(id, resolve as (result: unknown) => void)
      socket.send(JSON.stringify({ id, method, params }))
    })
}

async function run<Value>(expression: string): Promise<Value> {
  const { result } = await send<{ result: { value: Value } }>('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  })
  return result.value
}

/** How far the page can be scrolled to the right, and what sticks out. */
const OVERFLOW = `JSON.stringify([
  document.documentElement.scrollWidth,
  [...document.querySelectorAll('body *')]
    .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 5)
    .map((each) => each.tagName + '.' + each.className),
])`

/** The number of operations in open groups. */
const shown = (): Promise<number> => run('document.querySelectorAll(".opblock-tag-section .opblock").length')
/** Types in the search field, as React reads it. */
const search = (text: string): Promise<void> =>
  run(`(() => {
    const field = document.querySelector('.operation-filter-input')
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(text)})
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })()`)

test.skipIf(BROWSER === undefined)(
  'the page begins with groups, and a search opens what it finds',
  async () => {
    const groups = () => run('document.querySelectorAll(".opblock-tag").length')
    await expect.poll(groups, POLLING).toBeGreaterThan(8)
    expect(await shown()).toBe(0)
    await search('/sponsor/elig')
    await expect.poll(shown, POLLING).toBe(1)
    expect(await groups()).toBe(1)
    await search('')
    await expect.poll(shown, POLLING).toBe(0)
  },
)

test.skipIf(BROWSER === undefined)('the page does not scroll sideways on a phone', async () => {
  await search('/')
  await expect.poll(shown, POLLING).toBeGreaterThan(30)
  expect(JSON.parse(await run(OVERFLOW))).toEqual([PHONE.width, expect.any(Array)])
})

const READS: [operation: string, status: string, text: string][] = [
  ['Agents-getAgent', '200', keyOf('agent Live')],
  ['Agents-getAgentHistory', '200', '"total": 1'],
  ['Agents-listAgents', '200', '"total": 1'],
  ['Stakes-getStake', '200', keyOf('stake Live')],
  ['DID-resolveDid', '200', keyOf('owner Live')],
  ['DID-resolveIdentifier', '200', 'Multikey'],
  ['Credentials-listCredentials', '200', '"total": 0'],
  ['Sponsorship-getEligibility', '200', '"eligible": false'],
]

test.skipIf(BROWSER === undefined).each(READS)(
  'on a phone, %s runs with the values of the page',
  async (operation, status, text) => {
    const block = `document.querySelector('#operations-${operation}')`
    await run(`${block}.querySelector('.opblock-summary-control').click()`)
    await expect.poll(() => run(`${block}.querySelector('.execute') !== null`), POLLING).toBe(true)
    // The page fills in the values after it shows the button, so a first click can come too early.
    const execute = `${block}.querySelector('.execute').click()`
    const shown = `${block}.querySelector('.live-responses-table tbody .response-col_status')?.innerText ?? ''`
    const answered = async () => (await run<string>(shown)) || (await run<undefined>(execute)) || ''
    await expect.poll(answered, { ...POLLING, interval: 250 }).toContain(status)
    const body = `${block}.querySelector('.live-responses-table tbody .response-col_description').innerText`
    await expect.poll(() => run(body), POLLING).toContain(text)
    expect(JSON.parse(await run(OVERFLOW))).toEqual([PHONE.width, expect.any(Array)])
    await run(`${block}.querySelector('.opblock-summary-control').click()`)
  },
)
