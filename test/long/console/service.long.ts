import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { useConsole } from './support/console-world.ts'
import { graphql } from './support/registry-data.ts'

const { world, test } = useConsole({ SEED_AGENTS: '3' })

test('the health page shows ledger, indexer, fee payer, database and readiness', async ({ page, open }) => {
  await open('/agents')
  await page
    .getByRole('banner')
    .getByRole('link', { name: /Operational/ })
    .click()
  await page.getByRole('heading', { name: 'Everything works' }).waitFor()
  const part = (name: string) => page.getByRole('region', { name })
  expect(await part('Ledger').innerText()).toMatch(/Connected[\s\S]*Newest slot\s+\d/)
  expect(await part('Indexer').innerText()).toMatch(/Up to date[\s\S]*Behind by\s+[\d.]+ seconds, \d+ slots/)
  expect(await part('Fee payer').innerText()).toMatch(/On[\s\S]*Balance\s+[\d.,]+ SOL/)
  expect(await part('Database').innerText()).toContain('Connected')
  expect(await part('This process').innerText()).toContain('Ready')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Checked just now').waitFor()
})

test('the page for developers links to documents that exist, and its MCP configuration works', async ({
  page,
  open,
}) => {
  await open('/developers')
  const links = page.getByRole('region', { name: 'Interfaces' }).getByRole('link')
  await links.first().waitFor()
  const hrefs = await links.evaluateAll((all) => all.map((link) => (link as { href?: string }).href!))
  expect(hrefs).toHaveLength(5)
  for (const href of hrefs) {
    const { status } = await fetch(href, { headers: { accept: 'text/html,*/*' } })
    expect([href, status]).toEqual([href, 200])
  }
  const mcp = page.getByRole('region', { name: 'Connect an AI agent by MCP' })
  const code = await mcp.getByRole('region', { name: 'Most clients' }).innerText()
  const { mcpServers } = JSON.parse(code) as { mcpServers: Record<string, { url: string }> }
  const ping = await fetch(mcpServers['agent-registry']!.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  expect(await ping.text()).toContain('lookup_agent')
  await mcp.getByRole('tab', { name: 'VS Code' }).click()
  await mcp.getByRole('button', { name: 'Copy' }).click()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain('"servers"')
  await page.getByRole('region', { name: 'Values for your program' }).getByText('NETWORK=localnet').waitFor()
})

test('theme and density are remembered, addresses are copied with a click, and times have the exact time', async ({
  page,
  open,
  variant,
}) => {
  await open('/agents')
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const [before, other] = [await background(), variant.colorScheme === 'dark' ? 'light' : 'dark']
  await page.getByRole('combobox', { name: 'Theme' }).selectOption(other)
  await page.reload()
  expect(await page.locator('html').getAttribute('data-theme')).toBe(other)
  expect(await background()).not.toBe(before)
  const row = page.getByRole('table').getByRole('row').nth(1)
  const heightOf = async () => (await row.boundingBox())!.height
  const comfortable = await heightOf()
  await page.getByRole('combobox', { name: 'Density' }).selectOption('compact')
  expect(await heightOf()).toBeLessThan(comfortable)
  await page.reload()
  await row.waitFor()
  expect(await heightOf()).toBeLessThan(comfortable)
  const copy = page.getByRole('button', { name: /^Copy agent address/ }).first()
  const shown = await copy.innerText()
  await copy.click()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(await copy.getAttribute('title')).toBe(copied)
  expect(copied).toMatch(/^\w{32,44}$/)
  expect(shown).toContain(`${copied.slice(0, 5)}…${copied.slice(-5)}`)
  const time = page.getByRole('table').getByRole('time').first()
  const exact = new Date((await time.getAttribute('datetime'))!)
  expect(await time.innerText()).toMatch(/just now|ago$/)
  await time.hover()
  expect(await time.getAttribute('title')).toMatch(new RegExp(`${exact.getUTCFullYear()}.*:\\d\\d:\\d\\d`))
})

test('a page shows its request as curl, GraphQL and client code', async ({ page, open }) => {
  await open('/agents?tier=premium')
  await page.getByRole('button', { name: 'API request' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('region', { name: 'curl' }).innerText()).toContain('"tier":"PREMIUM"')
  await dialog.getByRole('tab', { name: 'curl' }).press('ArrowRight')
  await dialog.getByRole('region', { name: 'GraphQL' }).getByText('query Agents').waitFor()
  await dialog.getByRole('tab', { name: 'JavaScript' }).click()
  await dialog.getByRole('region', { name: 'JavaScript' }).getByText('createRegistry').waitFor()

  await open('/credentials')
  await page.getByRole('button', { name: 'API request' }).click()
  const curl = await dialog.getByRole('region', { name: 'curl' }).innerText()
  expect(curl).toContain('-H "authorization: Bearer $TOKEN"')
  await dialog.getByRole('tab', { name: 'curl' }).press('ArrowRight')
  await dialog.getByText('# { "authorization": "Bearer TOKEN" }').waitFor()
})

test('a page that needs the service says that it did not answer, and tries again by itself', async ({
  page,
  open,
}) => {
  let isDown = true
  await page.route('**/graphql', async (route) => {
    // A wallet reads the service together with its agent.
    const isOfService = /query (?:ConsoleInfo|OwnAgent)\b/.test(route.request().postData() ?? '')
    if (!isDown || !isOfService) return route.continue()
    return route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Service Unavailable</h1>' })
  })
  const failure = page.getByRole('main').getByRole('alert')
  const goOn = async (): Promise<void> => {
    await failure.getByText('The gateway did not answer.').waitFor()
    await failure.getByRole('button', { name: 'Try again' }).click()
    isDown = false
  }
  await open('/register')
  await goOn()
  await page.getByRole('button', { name: 'Use a throw-away wallet' }).click()
  await page.getByRole('form', { name: 'Register an agent' }).waitFor()
  for (const [path, content] of [
    ['/register', page.getByRole('form', { name: 'Register an agent' })],
    ['/mine', page.getByRole('heading', { name: 'This wallet has no agent' })],
  ] as const) {
    isDown = true
    await open(path)
    // The wallet of this tab is connected again.
    await page.getByRole('banner').getByRole('button', { name: '…' }).waitFor()
    await goOn()
    await content.waitFor()
  }
})

/** Opens the query of the page in another tab. */
async function openInGraphiql(page: Page): Promise<Page> {
  await page.getByRole('button', { name: 'API request' }).click()
  const [editor] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Open in GraphiQL' }).click(),
  ])
  return editor
}

test('GraphiQL has examples of real use, on each visit, and opens the query of a page', async ({
  page,
  open,
}) => {
  const tabs = page.getByRole('tab')
  for (const _ of ['first', 'second', 'third']) {
    await page.goto(`${world.origin}/graphql`)
    await expect.poll(() => tabs.count()).toBe(10)
    await page.getByText('highest reputation first').waitFor()
    await expect.poll(() => page.evaluate('localStorage.length')).toBeGreaterThan(0)
  }
  await page.getByRole('button', { name: /^Execute query/ }).click()
  const response = page.locator('.result-window')
  await expect.poll(() => response.innerText()).toContain('totalCount')
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await open('/agents?status=ACTIVE')
  const editor = await openInGraphiql(page)
  await editor.getByText('query Agents').first().waitFor()
  await editor.getByText('"ACTIVE"').first().waitFor()
})

test('the reference and GraphiQL use the session of the console, and do not store it', async ({
  page,
  open,
}) => {
  await open('/health')
  const session = { token: 'ars_of_this_tab', wallet: 'w', expiresAt: '2100-01-01T00:00:00Z' }
  await page.evaluate(`sessionStorage.setItem('session', ${JSON.stringify(JSON.stringify(session))})`)
  const tokenOf = async (url: string, button: string | RegExp, from = page): Promise<string | undefined> => {
    const request = from.waitForRequest((each) => each.url().endsWith(url))
    await from.getByRole('button', { name: button }).click()
    return (await request).headers()['authorization']
  }
  const stored = () => page.evaluate('JSON.stringify({ ...localStorage })')
  await page.goto(`${world.origin}/docs/#/Authentication/getSession`)
  // The page takes the token after it shows the button.
  await expect.poll(() => tokenOf('/auth/session', 'Execute')).toBe('Bearer ars_of_this_tab')
  expect(await stored()).not.toContain('ars_of_this_tab')
  // An operation with a body shows an example of it, and no error.
  await page.goto('about:blank')
  await page.goto(`${world.origin}/docs/#/Relay/prepareTransaction`)
  const body = page.locator('textarea.body-param__text')
  await expect.poll(() => body.inputValue()).toContain('"signerPubkeys"')
  expect(await page.locator('.errors-wrapper').count()).toBe(0)
  await page.goto(`${world.origin}/graphql`)
  await page.getByText('highest reputation first').waitFor()
  expect(await tokenOf('/graphql', /^Execute query/)).toBe('Bearer ars_of_this_tab')
  expect(await stored()).not.toContain('ars_of_this_tab')
  // Strangers can write links with an operation. Those of the console open their own tab.
  await page.goto(`${world.origin}/graphql?query=${encodeURIComponent('{ viewer { wallet } }')}`)
  await page.getByText('viewer').first().waitFor()
  expect(await tokenOf('/graphql', /^Execute query/)).toBeUndefined()
  await open('/agents')
  const editor = await openInGraphiql(page)
  await editor.getByText('query Agents').first().waitFor()
  expect(await tokenOf('/graphql', /^Execute query/, editor)).toBe('Bearer ars_of_this_tab')
  await editor.close()
  // The page that is checked at the end is one of ours.
  await open('/health')
})

const SCHEMES = [
  ['dark', 'rgb(28, 32, 34)'],
  ['light', 'rgb(250, 250, 250)'],
] as const

test('the reference has both colour schemes, and finds operations by words of their descriptions, in any order', async ({
  page,
  open,
}) => {
  await page.goto(`${world.origin}/docs/`)
  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  for (const [colorScheme, expected] of SCHEMES) {
    await page.emulateMedia({ colorScheme })
    await expect.poll(background).toBe(expected)
  }
  const shown = page.locator('.opblock')
  const idsFor = async (text: string): Promise<string[]> => {
    await page.getByPlaceholder('Search by words').fill(text)
    return shown.evaluateAll((all) => all.map(({ id }) => id))
  }
  // No path and no summary has these words. The groups with what is found are open.
  await expect.poll(() => idsFor('ASSERTIONS  lighthouse')).toEqual(['operations-Relay-submitTransaction'])
  await expect.poll(() => idsFor('suspends')).toEqual(['operations-Relay-prepareSuspendAgent'])
  await expect.poll(() => idsFor('lighthouse suspends')).toEqual([])
  await expect.poll(() => idsFor('agent.suspended')).toEqual(['operations-webhooks-onAgentSuspended'])
  // The page that is checked at the end is one of ours.
  await open('/health')
})

/** What a command writes until it ends, or until `last` is part of it. */
async function outputOf(command: string, last?: string): Promise<string> {
  const child = spawn('bash', ['-c', `exec ${command} --silent --no-buffer`])
  let output = ''
  for await (const chunk of child.stdout) {
    output += String(chunk)
    if (last !== undefined && output.includes(last)) break
  }
  child.kill()
  return output
}

const AGENT = '{ agents(first: 1) { nodes { pda history { nodes { signature } } } } }'
type Agents = { agents: { nodes: [{ pda: string; history: { nodes: [{ signature: string }] } }] } }

test('every page shows its request, and those of the public pages work as curl and Python', async ({
  page,
  open,
}) => {
  const [agent] = (await graphql<Agents>(world, AGENT)).agents.nodes
  const transaction = `/tx/${agent.history.nodes[0].signature}`
  const isPublic = ['/', `/agents/${agent.pda}`, '/live', transaction, '/events', '/health', '/developers']
  const dialog = page.getByRole('dialog')
  for (const path of [...isPublic, '/register', '/mine', '/webhooks', '/webhooks/x', '/credentials']) {
    await open(path)
    await page.getByRole('main').getByRole('button', { name: 'API request' }).first().click()
    const curl = await dialog.getByRole('region', { name: 'curl' }).innerText()
    expect(curl).toContain(`curl ${world.origin}/graphql`)
    // The client has no call for a transaction by its signature.
    if (path !== transaction) {
      await dialog.getByRole('tab', { name: 'JavaScript' }).click()
      await dialog.getByRole('region', { name: 'JavaScript' }).getByText('createRegistry').first().waitFor()
    }
    if (!isPublic.includes(path)) continue
    // The request of the live page is a stream of events, which does not end.
    if (path === '/live')
      expect(await outputOf(`${curl} --include`, '\r\n\r\n')).toMatch(/^content-type: text\/event-stream/im)
    else {
      expect(JSON.parse(await outputOf(curl))).toEqual({ data: expect.any(Object) as object })
      await dialog.getByRole('tab', { name: 'Python' }).click()
      const code = await dialog.getByRole('region', { name: 'Python' }).innerText()
      const { stdout } = await promisify(execFile)('python3', ['-c', code])
      expect(stdout).toMatch(/^\{'data': \{/)
    }
  }
})
