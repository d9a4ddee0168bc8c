import { expect, test } from 'vitest'
import { createRegistry, generateSigner, programErrorIn, RegistryError } from '../src/index.ts'
import { scaled } from '../../../test/support/machine-speed.ts'

/** A registry whose gateway gives these responses, one after the other. */
function scripted(responses: (Response | Error)[], options = {}) {
  const requests: { url: string; init: RequestInit }[] = []
  const registry = createRegistry('https://gateway.example', {
    ...options,
    fetch: async (input, init) => {
      requests.push({ url: input instanceof Request ? input.url : input.toString(), init: init! })
      const next = responses.shift()!
      if (next instanceof Error) throw next
      return next
    },
  })
  return { registry, requests }
}

const busy = (headers = {}, status = 503) => Response.json({ error: 'Busy' }, { status, headers })
const empty = () => Response.json({ total: 0, limit: 50, offset: 0, agents: [] })

test('a gateway without a usable URL is refused with the value', () => {
  for (const url of [undefined, '', 'localhost:3000', 'ftp://gateway.example', 'http://', '/gateway'])
    expect(() => createRegistry(url as string)).toThrow(
      `The URL of the gateway must start with http:// or https://, got ${url}`,
    )
})

test('a read is repeated after failures of the network and temporary statuses', async () => {
  const { registry, requests } = scripted([
    new TypeError('fetch failed'),
    busy({ 'retry-after': '0' }),
    empty(),
  ])
  expect(await registry.agents.list().page()).toMatchObject({ total: 0 })
  expect(requests.length).toBe(3)
})

test('a read is not repeated after other statuses, or if Retry-After is too long', async () => {
  const refused = scripted([busy({}, 400)])
  await expect(refused.registry.agents.list().page()).rejects.toMatchObject({ status: 400 })
  const later = scripted([busy({ 'retry-after': '3600' }, 429)])
  await expect(later.registry.agents.list().page()).rejects.toMatchObject({ retryAfterSeconds: 3600 })
  const thrice = scripted([busy(), busy(), busy()], { retries: 1 })
  await expect(thrice.registry.agents.list().page()).rejects.toBeInstanceOf(RegistryError)
  expect([refused.requests.length, later.requests.length, thrice.requests.length]).toEqual([1, 1, 2])
})

test('a request that creates something is not repeated', async () => {
  const wallet = await generateSigner()
  const { registry, requests } = scripted([busy({ 'retry-after': '0' })], { wallet })
  const webhook = { url: 'https://a.example', eventTypes: ['agent.closed' as const] }
  await expect(registry.webhooks.create(webhook)).rejects.toMatchObject({ status: 503 })
  expect(requests.length).toBe(1)
})

test('a submission is repeated with the same bytes', async () => {
  const status = { id: 'a', status: 'confirmed', signature: 's', error: null, slot: 1 }
  const { registry, requests } = scripted([new TypeError('fetch failed'), Response.json(status)])
  await registry.call('submitTransaction', { body: { id: 'a', signedTx: 'x' } })
  expect(requests.map(({ init }) => init.body)).toEqual([requests[0]!.init.body, requests[0]!.init.body])
})

test('an aborted request is not repeated', async () => {
  const signal = AbortSignal.abort(new Error('stopped'))
  const { registry, requests } = scripted([new TypeError('fetch failed'), empty()])
  await expect(registry.call('listAgents', {}, { signal })).rejects.toThrow('fetch failed')
  expect(requests.length).toBe(1)
})

test('integers of 64 bits are exact, and texts that contain digits stay', async () => {
  const agent = '{"name":"12345678901234567890 \\" 99999999999999999","capabilities":18446744073709551615}'
  const { registry } = scripted([new Response(agent)])
  expect(await registry.agents.get('x')).toEqual({
    name: '12345678901234567890 " 99999999999999999',
    capabilities: 18446744073709551615n,
  })
})

test('long texts and numbers are read in linear time', async () => {
  const text = 'a'.repeat(16_000_000)
  const { registry } = scripted([new Response(JSON.stringify({ name: text, n: [1e21, -1.5, 12] }))])
  expect(await registry.agents.get('x')).toEqual({ name: text, n: [1e21, -1.5, 12] })
  const digits = scripted([new Response(`{"name":${'1'.repeat(200_000)}e-200000}`)])
  const started = performance.now()
  await digits.registry.agents.get('x')
  expect(performance.now() - started).toBeLessThan(scaled(1_000))
})

test('a response of a proxy that is no JSON is an error with its status', async () => {
  const { registry } = scripted([new Response('<html>', { status: 400 })])
  await expect(registry.agents.get('x')).rejects.toMatchObject({
    message: 'The gateway responded with status 400',
    code: null,
  })
})

test('a page of a proxy ends the live events, because a wrong URL stays wrong', async () => {
  const { registry, requests } = scripted([new Response('<html>', { status: 404 })])
  await expect(registry.events({ after: 'evt_1' }).next()).rejects.toMatchObject({ status: 404 })
  expect(requests.length).toBe(1)
})

test.each([
  [
    'Program log: AnchorError occurred. Error Code: Paused. Error Number: 6014. Error Message: Paused.',
    'Paused',
  ],
  ['Program X failed: custom program error: 0x177e', 'Paused'],
  ['Program X failed: custom program error: 0x1', undefined],
])('the error of the program is read from %j', (text, name) => {
  expect(programErrorIn(['Program log: Instruction: Deposit', text])?.name).toBe(name)
})
