import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { readCardContent } from '../../../../src/identity/agent-cards/card-content.ts'
import { checkCard } from '../../../../src/identity/agent-cards/check-card.ts'
import { createNewCardChecks } from '../../../../src/identity/agent-cards/check-new-card.ts'
import { CARD_QUEUES } from '../../../../src/identity/agent-cards/limits.ts'
import { CREDENTIALS_V2 } from '../../../../src/identity/credentials/contexts/pinned.ts'
import { trustRegistry } from '../../../../src/identity/credentials/trusted-issuers.ts'
import { checkContext } from '../../../../src/identity/credentials/verify/checks/structure.ts'
import { checkProofPresent } from '../../../../src/identity/credentials/verify/checks/proof.ts'
import { parseStatusEntries } from '../../../../src/identity/credentials/verify/status/check-status.ts'
import { createVerifier } from '../../../../src/identity/credentials/verify/verifier.ts'
import {
  createByteBudget,
  type HostedDependencies,
} from '../../../../src/platform/net/hosted/fetch-hosted.ts'
import { createFetchQueue } from '../../../../src/identity/fetch-queue.ts'
import { createSiteSlots } from '../../../../src/identity/sites.ts'
import {
  AGENT_DID,
  type Json,
  NOW,
  contexts,
  createTestIssuer,
  unsigned,
} from '../../../support/identity/issuer.ts'
import { seal } from '../../../support/identity/seal.ts'
import { statusEntry } from '../../../support/identity/status-list.ts'
import { startHost } from '../../../support/identity/host.ts'
import { type Cases, type Check, testedIn, least, list, lowered, most, pad } from './check.ts'
import { withTimers } from './connections.ts'
import { KEY, VERIFY, clock, sendAs } from './world.ts'
import { perFile } from '../../../support/lifetime.ts'

const issuer = createTestIssuer('limits')
let statusList: Json
const verifier = perFile(() =>
  createVerifier({
    contexts,
    size: 1,
    limitMs: 20_000,
    fetchStatusList: async () => ({
      kind: 'fetched',
      body: Buffer.from(statusList),
      headers: { 'cache-control': 'no-store' },
    }),
  }),
)

/** The checks that a credential fails. */
async function failed(raw: unknown): Promise<string> {
  const trust = trustRegistry([issuer.trusted])
  const { checks } = await verifier.verify(raw, { agentDid: AGENT_DID, now: NOW, trust })
  const names = checks.filter(({ passed }) => !passed).map(({ check }) => check)
  return names.length === checks.length ? 'all' : names.join(' ') || 'ok'
}
const CID_URL = `ipfs://${'a'.repeat(59)}/`
const BUSY_BEYOND = { accepted: 0, refused: 1 }
const hostedBy = (get: HostedDependencies['http']['get']): HostedDependencies => ({
  http: { get, checkUrl: (url) => new URL(url) },
  gateways: { ipfs: 'https://ipfs.test/', arweave: null },
  budget: createByteBudget(clock),
  cardUrlOf: async () => null,
  totalMs: 10_000,
})
const never = () => new Promise<never>(() => undefined)
/** Starts `n` checks at hosts that never respond. Returns how many were refused. */
async function startNewChecks(n: number, urlOf: (i: number) => string): Promise<number> {
  const { check } = createNewCardChecks(hostedBy(never), clock)
  let refused = 0
  for (let i = 0; i < n; i += 1) check({ url: urlOf(i) }).catch(() => (refused += 1))
  await turn()
  return refused
}
/** Runs `n` checks, one after the other. Returns how many were refused. */
async function endNewChecks(n: number, urlOf: (i: number) => string): Promise<number> {
  const body = Buffer.from('{}')
  const fields = { headers: {}, status: 200, truncated: false, receivedBytes: 2, durationMs: 0 }
  const { check } = createNewCardChecks(
    hostedBy(async (url) => ({ outcome: 'response', url, body, ...fields })),
    clock,
  )
  let refused = 0
  for (let i = 0; i < n; i += 1) await check({ url: urlOf(i) }).catch(() => (refused += 1))
  return refused
}
const ALL = { refused: 'all' }
const plain = unsigned('2.0', 'eddsa-jcs-2022', issuer.did)
const sealed = (members: Json): Promise<Json> => seal({ ...plain, ...members }, 'eddsa-jcs-2022', issuer)
const inSubject = (members: Json): Promise<Json> =>
  sealed({ credentialSubject: { ...plain.credentialSubject, ...members } })
const valuesIn = (value: Json): number =>
  typeof value === 'object'
    ? 1 + Object.values(value).reduce((sum: number, each) => sum + valuesIn(each), 0)
    : 1
const LIST_URL = 'https://lists.example/1'
/** The checks that a credential fails with a status list of so many entries and bytes. */
async function failedWithList(entries: number, bytes?: number): Promise<string> {
  const encodedList = `u${gzipSync(Buffer.alloc(entries / 8)).toString('base64url')}`
  const subject = {
    id: `${LIST_URL}#list`,
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList,
  }
  const type = ['VerifiableCredential', 'BitstringStatusListCredential']
  const text = JSON.stringify(await sealed({ id: LIST_URL, type, credentialSubject: subject }))
  statusList = pad(text, bytes ?? text.length)
  return failed(await sealed({ credentialStatus: statusEntry(LIST_URL, 1) }))
}
const isListed = (entries: Json): string =>
  typeof parseStatusEntries(entries) === 'string' ? 'refused' : 'ok'

type CardList = 'skills' | 'interfaces' | 'credentials'
/** All entries of a list of a card are shown if they have at most so many bytes as JSON. */
const fits = (make: (text: string) => object | string, given: string, shown: CardList): Check => {
  const read = (entries: readonly unknown[]) => readCardContent({ [given]: entries })?.[shown] ?? []
  return most(
    (bytes) => {
      const size = Buffer.byteLength(JSON.stringify(read([make('x')])[0])) - 1
      const count = Math.ceil(bytes / 2_000)
      // Texts of different lengths, because an interface is shown once.
      const texts = list(count - 1, (i) => 'x'.repeat(1_900 - i))
      const left = bytes - count * size - texts.join('').length
      const entries = [...texts, 'x'.repeat(left)].map(make)
      const all = read(entries)
      const isWhole =
        all.length < count ||
        all.reduce<number>((sum, each) => sum + JSON.stringify(each).length, 0) === bytes
      return isWhole ? count - all.length : 'wrong size'
    },
    { accepted: 0, refused: 1 },
  )
}

export const credentialCases: Cases = {
  'Credentials and agent cards': {
    'Length of `credentialUrl`': most(
      (n) => {
        const url = 'https://a.example/'
        return sendAs('owner', VERIFY, { credentialUrl: url + 'x'.repeat(n - url.length) })
      },
      { accepted: '422 CREDENTIAL_NOT_FETCHED' },
    ),
    'Size of a credential': most(
      async (n) => failed(Buffer.from(pad(JSON.stringify(await sealed({})), n))),
      ALL,
    ),
    'Nesting of a credential': most(async (n) => {
      // The outermost object is the subject, which is in the credential.
      const nested = list(n - 1, () => 0).reduce<Json>((inner) => ({ a: inner }), 1)
      return failed(await inSubject(nested))
    }, ALL),
    'Values in a credential': most(async (n) => {
      const empty = valuesIn(await inSubject({ a: [], b: [], c: [] }))
      const [a, c] = [list(200, () => 1), list(n - empty - 400, () => 1)]
      return failed(await inSubject({ a, b: a, c }))
    }, ALL),
    'Entries of an array in a credential': most(
      async (n) => failed(await inSubject({ a: list(n, () => 1) })),
      ALL,
    ),
    'Length of a text in a credential': most(async (n) => failed(await inSubject({ a: 'x'.repeat(n) })), ALL),
    'Types of a credential': most(
      async (n) => failed(await sealed({ type: ['VerifiableCredential', ...list(n - 1, (i) => `T${i}`)] })),
      { refused: 'type proof_verified' },
    ),
    'Length of the issuer of a credential': most(
      async (n) => {
        const id = issuer.did + '#'.padEnd(n - issuer.did.length, 'x')
        const trust = trustRegistry([])
        const { issuer: read } = await verifier.verify(await sealed({ issuer: id }), {
          agentDid: AGENT_DID,
          now: NOW,
          trust,
        })
        return read.length === n ? 'ok' : read
      },
      { refused: '' },
    ),
    'Contexts of a credential': most(
      (n) => {
        const urls = [CREDENTIALS_V2, ...list(n - 1, (i) => `https://a.example/${i}`)]
        return checkContext({ '@context': urls }, new Set(urls)).passed
      },
      { accepted: true, refused: false },
    ),
    'Proofs of a credential': most((n) => checkProofPresent({ proof: list(n, () => ({})) }).passed, {
      accepted: true,
      refused: false,
    }),
    'Entries of a `credentialStatus`': most((n) => isListed(list(n, (i) => statusEntry(LIST_URL, i))), {
      refused: 'refused',
    }),
    'Length of the URL of a status list': most(
      (n) => isListed(statusEntry(LIST_URL + '0'.repeat(n - LIST_URL.length), 1)),
      { refused: 'refused' },
    ),
    'Size of a status list': most((n) => failedWithList(131_072, n), { refused: 'status' }),
    'Entries of a status list': [
      least((n) => failedWithList(n), { refused: 'status', step: 8 }),
      most((n) => failedWithList(n), { refused: 'status', step: 8 }),
    ],
    'Time for which a status list is kept': testedIn(
      'unit/identity/credentials/status-lists',
      'at most 15 minutes',
    ),
    'Credentials of an agent': testedIn(
      'api/identity/credentials',
      'an agent has at most ${MAX_CREDENTIALS} credentials',
    ),
    'Time between two checks of an agent card': testedIn(
      'faults/identity/card-checks',
      'a loop of changes causes one check a minute, and the last change is checked',
    ),
    'Time to fetch an agent card': testedIn(
      'faults/platform/hostile-servers',
      'a host that never responds times out',
    ),
    'Checks of agent cards of one site at once': testedIn(
      'faults/identity/card-checks',
      'many names of one site share a few checks, and further checks do not delay first ones',
    ),
    'Fetches of credentials of one site at once, and of status lists, per process': [
      'https://a.example/',
      'ipfs://x/',
    ].map((url) =>
      lowered(async (n) => {
        let running = 0
        const slots = createSiteSlots()
        for (let i = 0; i < n; i += 1) void slots(url + i, () => new Promise(() => (running += 1)))
        await turn()
        return running
      }),
    ),
    'Bytes read from one site for cards, credentials and status lists, per process': testedIn(
      'faults/identity/card-checks',
      'agents of one site make the service read a limited number of bytes per minute, and others are checked',
    ),
    'Checks before a registration of cards of one site at once, per process': [
      'https://a.test/',
      CID_URL,
    ].map((url) => most((n) => startNewChecks(n, (i) => url + i), BUSY_BEYOND)),
    'Checks before a registration that fetch a card of one site, per process': [
      'https://a.test/',
      CID_URL,
    ].map((url) => most((n) => endNewChecks(n, (i) => url + i), BUSY_BEYOND)),
    'Checks before a registration that fetch a card, in a process at once': most(
      (n) => startNewChecks(n, (i) => `https://a${i}.test/`),
      BUSY_BEYOND,
    ),
    'Agent card that is sent as text': most((n) =>
      createNewCardChecks(hostedBy(never), clock)
        .check({ card: pad('{}', n) })
        .then(() => 'ok'),
    ),
    'First checks of agent cards in a process at once': lowered((n) =>
      withTimers(async (advance) => {
        let left = n
        const take = async (max: number) => list(Math.min(max, left), () => (left -= 1))
        const queue = createFetchQueue({
          name: 'x',
          claim: take,
          run: () => new Promise(() => undefined),
          limits: CARD_QUEUES.first,
          idleMs: 1_000,
          clock,
          logger: { warn: () => undefined },
        })
        queue.start()
        for (let i = 0; i < 20; i += 1) await advance(CARD_QUEUES.first.slotMs)
        return queue.inFlight()
      }),
    ),
    'Time between two refreshes of an agent’s credentials': testedIn(
      'faults/identity/card-checks',
      'the credentials of an agent are refreshed at most every ten minutes',
    ),
    'Size of an agent card': most(
      async (n) => {
        const host = await startHost()
        const url = host.serve('/card', pad('{}', n))
        const gateways = { ipfs: null, arweave: null }
        const budget = createByteBudget(clock)
        const hosted = { http: host.http, gateways, budget, cardUrlOf: async () => null, totalMs: 10_000 }
        const { state } = await checkCard({ owner: KEY, url, hash: '' }, hosted)
        await host.close()
        return state
      },
      { accepted: 'mismatched', refused: 'unreachable' },
    ),
    'Texts of an agent card': [
      lowered((n) => readCardContent({ description: 'x'.repeat(n) })?.description?.length),
      lowered((n) => readCardContent({ name: 'x'.repeat(n) })?.name?.length),
    ],
    'Skills of an agent card': [
      lowered((n) => readCardContent({ skills: list(n, () => ({})) })?.skills.length),
      fits((text) => ({ description: text }), 'skills', 'skills'),
    ],
    'Tags of a skill of an agent card': lowered(
      (n) => readCardContent({ skills: [{ tags: list(n, () => 'x') }] })?.skills[0]?.tags.length,
    ),
    'Interfaces of an agent card': [
      lowered(
        (n) => readCardContent({ supportedInterfaces: list(n, (i) => ({ url: `${i}` })) })?.interfaces.length,
      ),
      fits((text) => ({ url: text }), 'supportedInterfaces', 'interfaces'),
    ],
    'Credentials that an agent card lists': [
      lowered((n) => readCardContent({ credentials: list(n, () => 'x') })?.credentials.length),
      fits((text) => text, 'credentials', 'credentials'),
    ],
  },
}
