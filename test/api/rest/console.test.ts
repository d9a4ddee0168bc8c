import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createTestApp, type TestAppOptions, useTestApp } from '../../support/app.ts'
import { builtConsole, SCRIPT } from '../../support/console/built-console.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const dist = builtConsole()
const missing = pathToFileURL(`${temporaryFolder('console-')}/missing/`)
const t = useTestApp({ console: { dist } })
const another = (options: Partial<TestAppOptions>) => useTestApp(() => ({ ...options, database: t.database }))
const behindProxy = another({ console: { dist }, baseUrl: 'https://example.org/registry' })
const notBuilt = another({ console: { dist: missing } })
const off = another({})

test('browsers that open / or /console are sent to /console/, and other clients get links', async () => {
  const page = await t.app.inject({ url: '/', headers: BROWSER })
  expect([page.statusCode, page.headers.location, page.headers.vary]).toEqual([
    302,
    '/console/',
    'Origin, accept',
  ])
  expect((await t.app.inject('/console')).headers.location).toBe('/console/')
  const { name, version, links } = (await t.app.inject('/')).json()
  expect([name, version]).toEqual(['Agent Registry Gateway', '0.1.0'])
  expect(links).toMatchObject({ console: 'http://127.0.0.1:3000/console/' })
  for (const link of Object.values<string>(links)) {
    const { statusCode } = await t.app.inject(new URL(link).pathname)
    expect([link, [200, 302, 400, 405].includes(statusCode)]).toEqual([link, true])
  }
})

test.each(['/console/', '/console/agents/abc', '/console/webhooks/1/deliveries/2'])(
  '%s is the page, which loads nothing from other origins and is checked before it is used again',
  async (url) => {
    const { statusCode, headers, body } = await t.app.inject(url)
    expect(statusCode).toBe(200)
    expect(body).toContain('The page')
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[\w+/=]{44}'; style-src 'self' 'sha256-[\w+/=]{44}'; /,
    )
    expect(headers['content-security-policy']).not.toContain('unsafe')
    const again = await t.app.inject({ url, headers: { 'if-none-match': String(headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  },
)

test('files are sent compressed and kept for a year, and a missing file is 404 and not the page', async () => {
  const url = '/console/assets/index-1.js'
  const file = await t.app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
  expect(file.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': 'application/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  expect((await t.app.inject(url)).body).toBe(SCRIPT)
  const missing = await t.app.inject('/console/assets/index-0.js')
  expect([missing.statusCode, missing.json().details.code]).toEqual([404, 'PATH_NOT_FOUND'])
})

test.each(['..%2findex.html', '../index.html', '%2e%2e/%2e%2e/package.json', '..%5cindex.html'])(
  'no file outside of the assets is read: %s',
  async (path) => {
    const { body } = await t.app.inject(`/console/assets/${path}`)
    expect(body).not.toContain('"dependencies"')
    expect(body === '' || body.includes('The page') || body.includes('"error"')).toBe(true)
  },
)

test('behind a proxy with a path, the page and the redirect have this path', async () => {
  expect((await behindProxy.app.inject('/console/')).body).toContain('<base href="/registry/console/" />')
  const { headers } = await behindProxy.app.inject({ url: '/', headers: BROWSER })
  expect(headers.location).toBe('/registry/console/')
})

test('without a build, the service starts and the page says how to build it', async () => {
  const { statusCode, body } = await notBuilt.app.inject('/console/')
  expect([statusCode, body]).toEqual([
    503,
    'The console is not built. Build it with: npm run build -w @agent-registry/console\n',
  ])
  expect((await notBuilt.app.inject('/health')).statusCode).toBe(200)
})

test('it can be switched off, and the OpenAPI document does not list it', async () => {
  expect((await off.app.inject('/console/')).statusCode).toBe(404)
  const root = await off.app.inject({ url: '/', headers: BROWSER })
  expect([root.statusCode, root.json().links.console]).toEqual([200, undefined])
  expect(JSON.stringify((await t.app.inject('/openapi.json')).json().paths)).not.toContain('/console')
})

test('the pages and files have a limit of their own, so a page opens although its user has no reads left', async () => {
  const { database } = t
  const rateLimits = { reads: 1, files: 3 }
  const limited = await createTestApp({ database, console: { dist: builtConsole() }, rateLimits })
  const statuses: number[] = []
  for (const path of ['', 'agents/abc', 'assets/index-1.js', 'assets/index-1.js', 'assets/index-0.js', ''])
    statuses.push((await limited.app.inject(`/console/${path}`)).statusCode)
  expect(statuses).toEqual([200, 200, 200, 429, 429, 429])
  const reads = await Promise.all([limited.app.inject('/agents'), limited.app.inject('/agents')])
  expect(reads.map(({ statusCode }) => statusCode)).toEqual([200, 429])
  await limited.close()
})

test('other methods are 405', async () => {
  const { statusCode, headers } = await t.app.inject({ method: 'POST', url: '/console/' })
  expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
})
