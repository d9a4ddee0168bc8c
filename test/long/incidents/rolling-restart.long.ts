import { Agent, request } from 'node:http'
import { beforeAll, expect, test, vi } from 'vitest'
import { type Prepared, type RecordBody, toJson, signed } from '../../support/transactions/relay-world.ts'
import { createIncidentWorld, type IncidentWorld, type Replica } from '../support/incident-world.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const SOON = { timeout: scaled(60_000), interval: 100 }
const WALLETS = 2
const READERS = 4
const ROUNDS = 2

const incident = perFile(() => createIncidentWorld())
let wallets: Awaited<ReturnType<IncidentWorld['world']['wallet']>>[]
const replicas: Replica[] = []

beforeAll(async () => {
  wallets = []
  for (let i = 0; i < WALLETS; i += 1) wallets.push(await incident.world.wallet(`Wallet ${i}`))
  await incident.start({ ROLES: 'indexer' })
  for (let i = 0; i < 2; i += 1) replicas.push(await incident.start({ ROLES: 'api', RATE_LIMITS: 'false' }))
})

interface Answer {
  status: number
  body: unknown
}

/** The replica did not accept the request, so another one may get it. */
class NotTakenError extends Error {}
let notTaken = 0

/** Sends one request to the first replica that accepts it. */
async function ask(agent: Agent, first: number, path: string, body?: object): Promise<Answer> {
  for (let i = first; ; i += 1) {
    try {
      return await exchange(agent, `${replicas[i % replicas.length]?.url}${path}`, body)
    } catch (error) {
      if (!(error instanceof NotTakenError)) throw error
      notTaken += 1
    }
  }
}

/**
 * Sends the body only after 100 Continue, so that the test knows whether the server accepted a
 * request before the connection ended.
 */
function exchange(agent: Agent, url: string, body?: object): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const headers = { 'content-type': 'application/json', expect: '100-continue' }
  const method = body === undefined ? 'GET' : 'POST'
  let taken = false
  const sent = request(url, { agent, method, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
    })
  })
  sent.on('continue', () => {
    taken = true
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
  sent.on('error', (cause) => reject(taken ? cause : new NotTakenError('not taken', { cause })))
  sent.flushHeaders()
  return promise
}

test('no accepted request fails when replicas are replaced one at a time under load', async () => {
  for (const { url } of replicas)
    await expect.poll(async () => (await fetch(`${url}/ready`)).status, SOON).toBe(200)
  const enough = new AbortController()
  const sent: string[] = []
  const reader = async (index: number): Promise<void> => {
    const connections = new Agent({ keepAlive: index % 2 === 0 })
    for (let i = index; !enough.signal.aborted; i += 1) {
      const { status, body } = await ask(connections, i, '/agents?limit=50')
      expect({ status, body }).toMatchObject({ status: 200, body: { total: WALLETS } })
    }
  }
  const writer = async (index: number): Promise<void> => {
    const connections = new Agent({ keepAlive: index % 2 === 0 })
    const wallet = wallets[index]
    if (wallet === undefined) return
    for (let i = index; !enough.signal.aborted; i += 1) {
      const instruction = wallet.instruction('update_agent', {}, { version: `1.${index}.${i}` })
      const asked = { instructions: [toJson(instruction)], signerPubkeys: [wallet.owner] }
      const prepared = await ask(connections, i, '/relay/prepare', asked)
      expect(prepared).toMatchObject({ status: 200 })
      const { id, serializedTx } = prepared.body as Prepared
      const signedTx = signed({ serializedTx }, wallet.keypair)
      // Not the replica that prepared the transaction.
      const submitted = await ask(connections, i + 1, '/relay/submit', { id, signedTx })
      expect(submitted).toMatchObject({ status: 200, body: { status: 'confirmed', error: null } })
      sent.push((submitted.body as RecordBody).signature ?? '')
    }
  }
  const load = Promise.all([
    ...Array.from({ length: READERS }, (_, index) => reader(index)),
    ...wallets.map((_, index) => writer(index)),
  ])
  // Reported at the end. Until then the restarts continue.
  load.catch(() => undefined)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const replica of replicas) {
      const before = sent.length
      await replica.restart()
      await expect.poll(async () => (await fetch(`${replica.url}/ready`)).status, SOON).toBe(200)
      await Promise.race([load, vi.waitFor(() => expect(sent.length).toBeGreaterThan(before + 2), SOON)])
    }
  }
  enough.abort()
  await load
  expect(notTaken).toBeGreaterThan(0)
  expect(new Set(sent).size).toBe(sent.length)
})
