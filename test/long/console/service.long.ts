import { afterAll, beforeAll, expect } from 'vitest'
import { BROWSER_PATH } from '../../support/console/browser-path.ts'
import { consoleTest, type ConsoleWorld, openConsole } from '../../support/console/console-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  if (BROWSER_PATH !== undefined) world = await openConsole({ SEED_AGENTS: '0' })
})
afterAll(() => world?.close())

consoleTest(
  'the health page shows ledger, indexer, fee payer, database and readiness',
  () => world,
  async ({ page, open }) => {
    await open('/')
    await page
      .getByRole('banner')
      .getByRole('link', { name: /Operational/ })
      .click()
    await page.getByRole('heading', { name: 'Everything works' }).waitFor()
    const part = (name: string) => page.getByRole('region', { name })
    expect(await part('Ledger').innerText()).toMatch(/Connected[\s\S]*Newest slot\s+\d/)
    expect(await part('Indexer').innerText()).toMatch(
      /Up to date[\s\S]*Behind by\s+[\d.]+ seconds, \d+ slots/,
    )
    expect(await part('Fee payer').innerText()).toMatch(/On[\s\S]*Balance\s+[\d.,]+ SOL/)
    expect(await part('Database').innerText()).toContain('Connected')
    expect(await part('This process').innerText()).toContain('Ready')
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('Checked just now').waitFor()
  },
)

consoleTest(
  'the page for developers links to documents that exist, and its MCP configuration works',
  () => world,
  async ({ page, open }) => {
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
    await page
      .getByRole('region', { name: 'Values for your program' })
      .getByText('NETWORK=localnet')
      .waitFor()
  },
)
