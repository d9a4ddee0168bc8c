import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditPage, watchPage } from './support/audit.ts'
import { BROWSER_PATH } from './support/browser-path.ts'

const ORIGIN = 'http://console.test'
const isSkipped = BROWSER_PATH === undefined && process.env.CI === undefined

let browser: Browser
beforeAll(async () => {
  if (!isSkipped) browser = await chromium.launch({ executablePath: BROWSER_PATH!, args: ['--no-sandbox'] })
})
afterAll(() => browser?.close())

async function audit(body: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 390, height: 600 } })
  const watched = watchPage(page, ORIGIN)
  await page.route('**', (route) =>
    route.request().url() === `${ORIGIN}/`
      ? route.fulfill({
          contentType: 'text/html',
          body: `<html lang="en"><title>A page</title><main><h1>A page</h1>${body}</main></html>`,
        })
      : route.fulfill({ status: 404 }),
  )
  await page.goto(ORIGIN)
  await auditPage(page, watched)
}

test.skipIf(isSkipped)('a page without faults passes the audit', async () => {
  await expect(audit('<p>Text</p>')).resolves.toBeUndefined()
})

test.skipIf(isSkipped).each([
  ['an image without a text', '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', 'image-alt'],
  ['a text without contrast', '<p style="color: #bbb">Text</p>', 'color-contrast'],
  ['a warning', '<script>console.warn("a warning")</script>', 'a warning'],
  ['an error', '<script>throw new Error("a mistake")</script>', 'a mistake'],
  ['a missing file', '<script src="/console/assets/missing.js"></script>', '404'],
  ['another origin', '<script>void fetch("https://example.org/x").catch(() => 0)</script>', 'example.org'],
  ['a wide element', '<p style="width: 400px">Text</p>', '400px'],
  [
    'a margin that is too wide',
    '<style>p::after { content: ""; margin-left: 500px }</style><p>Text</p>',
    '390',
  ],
])('the audit finds %s', async (_, body, found) => {
  const failure: unknown = await audit(body).catch((error: unknown) => error)
  const { message, actual } = failure as { message: string; actual: unknown }
  expect(`${message}\n${String(actual)}`).toContain(found)
})
