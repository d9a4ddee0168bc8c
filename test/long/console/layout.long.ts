import { readFileSync } from 'node:fs'
import { createRegistry, signerFromSecretKey } from '@agent-registry/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { overflow } from './support/audit.ts'
import { useConsole } from './support/console-world.ts'
import { graphql } from './support/registry-data.ts'
import { browserWallet, connectWallet } from './support/wallet.ts'

const { world, test } = useConsole({ SEED_AGENTS: '30' })

const ROUTES_FILE = new URL('../../../packages/console/src/routes.ts', import.meta.url)
/** From the text of the file: its pages need a compiler with JSX. */
const ROUTES = [...readFileSync(ROUTES_FILE, 'utf8').matchAll(/^ +'(\/[^']*)': \(\) => import/gm)].map(
  ([, path]) => path!,
)

const AGENT = '{ agents(first: 1) { nodes { pda history { nodes { signature } } } } }'
type Agents = { agents: { nodes: [{ pda: string; history: { nodes: [{ signature: string }] } }] } }

async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect
    .poll(() =>
      page
        .getByRole('main')
        .getByText(/^Loading/)
        .count(),
    )
    .toBe(0)
}

test('a page that is shorter than the window does not scroll', async ({ page, open }) => {
  for (const path of ['/nothing', '/mine', '/operator']) {
    await open(path)
    await settled(page)
    const heights = await page.evaluate('[document.documentElement.scrollHeight, innerHeight]')
    expect([path, heights]).toEqual([path, [900, 900]])
  }
})

/** Texts that end at the edge of their box, because it hides the rest. */
const CUT = `[...document.querySelectorAll('body *')].filter((each) => {
  const style = getComputedStyle(each)
  const isCut = (overflow, content, box) => /hidden|clip/.test(overflow) && content > box + 1
  return each.checkVisibility() && style.clipPath === 'none' && each.clientHeight > 0 &&
    (isCut(style.overflowX, each.scrollWidth, each.clientWidth) ||
      isCut(style.overflowY, each.scrollHeight, each.clientHeight))
}).flatMap((box) => {
  const { right, bottom } = box.getBoundingClientRect()
  return [box, ...[...box.querySelectorAll('*')].filter((each) => {
    const inner = each.getBoundingClientRect()
    return inner.right > right || inner.bottom > bottom
  })].map((each) => each.outerHTML.slice(0, 160))
}).join('\\n')`

/** Texts that begin or stand beside the line of those that belong to them. */
const UNALIGNED = `(() => {
  const found = []
  const compare = (all, group, place) => {
    for (const boxes of Map.groupBy(all, (each) => Math.round(group(each))).values()) {
      const places = boxes.map((each) => Math.round(place(each)))
      if (Math.max(...places) - Math.min(...places) > 1)
        found.push(boxes.map((each, i) => places[i] + ' ' + each.textContent.slice(0, 60)).join('; '))
    }
  }
  const lineOf = (box) => {
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    range.selectNodeContents(texts.nextNode() ?? box)
    return range.getBoundingClientRect().bottom
  }
  const topOf = (box) => box.getBoundingClientRect().top
  const startOf = (box) => box.getBoundingClientRect().left
  for (const list of document.querySelectorAll('dl')) {
    const values = [...list.querySelectorAll('dd')]
    compare(values, (each) => startOf(each.previousElementSibling), startOf)
    if (list.matches('.card')) compare(values, topOf, lineOf)
  }
  const headings = [...document.querySelectorAll('section > :first-child h2')].filter((each) => each.checkVisibility())
  compare(headings, (each) => topOf(each.closest('section')), lineOf)
  return found.join('\\n')
})()`

test('texts stand in lines, and those of twice the size are neither cut nor beyond the edge of any page', async ({
  page,
  context,
  open,
  variant,
}) => {
  const wallet = browserWallet(`large ${variant.name}`)
  await wallet.install(context)
  const [{ pda, history }] = (await graphql<Agents>(world, AGENT)).agents.nodes
  const signer = await signerFromSecretKey(wallet.seed)
  const { webhooks } = createRegistry(world.origin)
  const url = 'https://receiver.example.com/a-path-of-some-length'
  const { id } = await webhooks.create({ url, eventTypes: ['agent.registered'] }, { wallet: signer })
  const delivery = await webhooks.ping(id, { wallet: signer })
  const paths: Readonly<Record<string, string>> = {
    '/agents/:pda': `/agents/${pda}`,
    '/tx/:id': `/tx/${history.nodes[0].signature}`,
    '/webhooks/:id': `/webhooks/${id}`,
    '/webhooks/:id/deliveries/:delivery': `/webhooks/${id}/deliveries/${delivery.id}`,
  }
  await open('/webhooks')
  await connectWallet(page, wallet)
  expect(ROUTES.length).toBeGreaterThan(15)
  const faults: string[] = []
  for (const route of ROUTES) {
    const path = paths[route] ?? route
    expect(path).not.toContain(':')
    await open(path)
    await settled(page)
    const unaligned = await page.evaluate<string>(UNALIGNED)
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    const found = [unaligned, await overflow(page), await page.evaluate<string>(CUT)].join('')
    if (found !== '') faults.push(`${path} ${variant.name}: ${found}`)
  }
  expect(faults.join('\n\n')).toBe('')
})

const OBSERVE = `globalThis.shifts = []
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries())
    shifts.push({ value, of: sources.map(({ node }) => (node?.outerHTML ?? String(node?.nodeValue)).slice(0, 120)) })
}).observe({ type: 'layout-shift', buffered: true })`

test('nothing moves while a page loads', async ({ page, open, variant }) => {
  await page.addInitScript({ content: OBSERVE })
  const [agent] = (await graphql<Agents>(world, AGENT)).agents.nodes
  // As slow as a connection of a phone, so that each part arrives in a frame of its own.
  await page.route('**/graphql', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue()
  })
  for (const path of ['/', '/agents', `/agents/${agent.pda}`, '/live']) {
    await open(path)
    await settled(page)
    const shifts = await page.evaluate<{ value: number; of: string[] }[]>('shifts')
    const sum = shifts.reduce((total, { value }) => total + value, 0)
    expect(sum, `${path} at ${variant.name}: ${JSON.stringify(shifts, null, 1)}`).toBeLessThan(0.1)
  }
})
