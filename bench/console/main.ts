import { type Browser, chromium } from 'playwright-core'
import { BROWSER_PATH } from '../../test/long/console/support/browser-path.ts'
import { startBenchGateway } from '../gateway.ts'
import { type Figure, saveResult } from '../support/result.ts'
import { spread } from '../support/statistics.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const AGENTS = Number(process.env.BENCH_AGENTS ?? 60)

if (BROWSER_PATH === undefined) {
  process.stderr.write('bench console needs Chromium: install it, or set CHROMIUM\n')
  process.exit(1)
}

interface Visit {
  /** Milliseconds from the start of the navigation. */
  readonly firstRow: number
  /** Largest Contentful Paint, in milliseconds. */
  readonly lcp: number
  /** What long tasks take above 50 ms each, in milliseconds. */
  readonly blocking: number
}

/** A phone is as slow as Lighthouse assumes: processor, delay and bytes per second. */
const DEVICES = {
  desktop: { viewport: { width: 1440, height: 900 }, slow: null },
  phone: {
    viewport: { width: 412, height: 823 },
    slow: {
      processor: 4,
      network: { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 },
    },
  },
} as const
type Device = keyof typeof DEVICES

const ROW = 'main :is(tbody, ol) a'

/** Runs in the page before its own code. */
const WATCH = `
  window.seen = { firstRow: 0, lcp: 0, blocking: 0 }
  new MutationObserver(() => {
    if (seen.firstRow === 0 && document.querySelector('${ROW}')) seen.firstRow = performance.now()
  }).observe(document, { subtree: true, childList: true })
  const watch = (type, add) => new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true })
  watch('largest-contentful-paint', ({ startTime }) => { seen.lcp = startTime })
  watch('longtask', ({ duration }) => { seen.blocking += Math.max(0, duration - 50) })
`

/** Opens a page with an empty cache. */
async function visit(browser: Browser, url: string, device: Device): Promise<Visit> {
  const { viewport, slow } = DEVICES[device]
  const context = await browser.newContext({ viewport })
  const page = await context.newPage()
  if (slow !== null) {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slow.processor })
    await session.send('Network.emulateNetworkConditions', slow.network)
  }
  await page.addInitScript(WATCH)
  await page.goto(url)
  await page.locator(ROW).first().waitFor()
  await page.waitForLoadState('networkidle')
  const seen = await page.evaluate<Visit>('seen')
  await context.close()
  return seen
}

const gateway = await startBenchGateway({ SEED_AGENTS: String(AGENTS) })
const { agents } = (await (await fetch(`${gateway.baseUrl}/agents?limit=1`)).json()) as {
  agents: { pda: string }[]
}
const pages = { overview: '/', list: '/agents', agent: `/agents/${agents[0]!.pda}`, live: '/live' }
const browser = await chromium.launch({ executablePath: BROWSER_PATH, args: ['--no-sandbox'] })
const visits = new Map<string, Visit[]>()
for (let round = 0; round < ROUNDS; round += 1)
  for (const device of Object.keys(DEVICES) as Device[])
    for (const [name, path] of Object.entries(pages)) {
      const key = `${name}, ${device}`
      const seen = await visit(browser, `${gateway.baseUrl}/console${path}`, device)
      visits.set(key, [...(visits.get(key) ?? []), seen])
    }
await browser.close()
await gateway.stop()

const figures = [...visits].flatMap(([key, all]): Figure[] =>
  (['firstRow', 'lcp', 'blocking'] as const).map((of) => ({
    figure: `${key}: ${{ firstRow: 'first row', lcp: 'largest paint', blocking: 'blocked' }[of]}`,
    value: spread(all.map((each) => each[of])),
    unit: 'ms',
  })),
)
saveResult('console', { comparisons: [], figures }, { rounds: Object.fromEntries(visits) })
