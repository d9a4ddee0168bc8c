import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Connection, PublicKey } from '@solana/web3.js'
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { test } from 'vitest'
import { eventually } from '../../../support/eventually.ts'
import { perFile } from '../../../support/lifetime.ts'
import { scaled } from '../../../support/machine-speed.ts'
import { startGatewayInProcess } from '../../../support/gateway-in-process.ts'
import { auditPage, takePictures, watchPage } from './audit.ts'
import { BROWSER_PATH } from './browser-path.ts'

export interface Variant {
  readonly width: number
  /** Of the first page. Each audit tests both. */
  readonly colorScheme: 'light' | 'dark'
  /** Such as `390`. Different in each run of the steps, so it can make names unique. */
  readonly name: string
}

const VARIANTS: readonly Variant[] = [
  { width: 1440, colorScheme: 'light', name: '1440' },
  { width: 390, colorScheme: 'dark', name: '390' },
]

/**
 * One gateway with a real ledger and database, and one browser, for a test file. There is none
 * without a Chromium.
 */
export function useConsole(settings: Record<string, string> = {}) {
  const world = perFile(() => openConsole(settings))
  return {
    world,
    /**
     * Runs the steps at both widths, and audits the page after each in both colour schemes. With
     * SCREENSHOTS=FOLDER it stores a picture of each. Without Chromium, it fails in CI and is
     * skipped elsewhere.
     */
    test: (title: string, steps: RunSteps, options?: Options) => consoleTest(title, world, steps, options),
  }
}

async function openConsole(settings: Record<string, string>) {
  if (BROWSER_PATH === undefined) return {} as Awaited<ReturnType<typeof startConsole>>
  return startConsole(settings)
}

async function startConsole(settings: Record<string, string>) {
  checkBuild()
  const gateway = await startGatewayInProcess({ RATE_LIMITS: 'false', ...settings })
  const browser = await chromium.launch({ executablePath: BROWSER_PATH!, args: ['--no-sandbox'] })
  const codeFile = join(gateway.dataDir, 'invite-code')
  return {
    gateway,
    origin: gateway.runtime.baseUrl,
    browser,
    /** Pays for registrations on the localnet. */
    inviteCode: existsSync(codeFile) ? readFileSync(codeFile, 'utf8').trim() : '',
    airdrop: async (address: string, sol = 1) => {
      const connection = new Connection(gateway.runtime.rpcUrl, 'confirmed')
      const signature = await connection.requestAirdrop(new PublicKey(address), sol * 1e9)
      await eventually(async () => {
        const { value } = await connection.getSignatureStatus(signature)
        if (value?.confirmationStatus === 'processed' || value === null) throw new Error('not confirmed')
      })
    },
    /** The SOL of an address on the ledger, such as `0.995`. */
    balance: async (address: string) => {
      const connection = new Connection(gateway.runtime.rpcUrl, 'processed')
      return String((await connection.getBalance(new PublicKey(address))) / 1e9)
    },
    close: async () => {
      await browser.close()
      await gateway.remove()
    },
  }
}

/** Clicks a button that saves a file. */
export async function saveFile(button: Locator): Promise<{ name: string; content: string }> {
  const [saved] = await Promise.all([button.page().waitForEvent('download'), button.click()])
  return { name: saved.suggestedFilename(), content: readFileSync(await saved.path(), 'utf8') }
}

export type ConsoleWorld = Awaited<ReturnType<typeof startConsole>>

const PACKAGE = fileURLToPath(new URL('../../../../packages/console/', import.meta.url))

function checkBuild(): void {
  const page = join(PACKAGE, 'dist/index.html')
  const built = existsSync(page) ? statSync(page).mtimeMs : 0
  const newer = globSync(['src/**/*.*', 'index.html'], { cwd: PACKAGE }).some(
    (file) => statSync(join(PACKAGE, file)).mtimeMs > built,
  )
  if (newer) throw new Error('The build is older than its sources: npm run build -w @agent-registry/console')
}

export interface Steps {
  readonly page: Page
  readonly context: BrowserContext
  readonly variant: Variant
  readonly open: (path: string) => Promise<void>
  /** Audits what the page shows now, such as an open dialog. */
  readonly audit: () => Promise<void>
}

type RunSteps = (given: Steps) => Promise<void>

interface Options {
  /** Before the page is opened, for example to install a wallet. */
  readonly prepare?: (context: BrowserContext) => Promise<void>
}

function consoleTest(title: string, world: ConsoleWorld, steps: RunSteps, options: Options = {}): void {
  // The title is a sentence at each call.
  // oxlint-disable-next-line vitest/valid-title
  test.skipIf(BROWSER_PATH === undefined && process.env.CI === undefined)(title, async () => {
    const { browser, origin } = world
    for (const variant of VARIANTS) {
      const { width, colorScheme, name } = variant
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme,
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      // It ends only a step that fails: four files with a browser each share the cores.
      context.setDefaultTimeout(scaled(30_000))
      await options.prepare?.(context)
      const page = await context.newPage()
      const watched = watchPage(page, origin)
      const open = async (path: string): Promise<void> => {
        await page.goto(`${origin}/console${path}`)
      }
      let audits = 0
      const audit = async (): Promise<void> => {
        audits += 1
        await takePictures(page, `${title}-${name}-${audits}`)
        await auditPage(page, watched)
      }
      try {
        await steps({ page, context, variant, open, audit })
        await audit()
      } finally {
        await context.close()
      }
    }
  })
}
