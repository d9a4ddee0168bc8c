import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Verdict } from '../../../../src/domain/credential-verdict.ts'
import { DomainError } from '../../../../src/domain/errors.ts'
import { listCredentials } from '../../../../src/identity/credentials/attached/credentials.ts'
import {
  type CredentialStore,
  MAX_CREDENTIALS,
  type StoredCredential,
} from '../../../../src/identity/credentials/attached/credential-store.ts'
import {
  refreshCredentials,
  type RefreshDependencies,
} from '../../../../src/identity/credentials/attached/refresh.ts'
import { trustRegistry } from '../../../../src/identity/credentials/trusted-issuers.ts'
import type { VerificationResult } from '../../../../src/identity/credentials/verify/result.ts'
import { createTestIssuer, NOW } from '../../../support/identity/issuer.ts'

const issuer = createTestIssuer('auditor')
const trust = trustRegistry([issuer.trusted])
const AGENT = { pda: 'pda', owner: 'owner' }
const bounds = { from: null, until: null }
const verdict: Verdict = {
  rulesVersion: 'rules',
  wellFormed: true,
  datesValid: true,
  issuer: issuer.did,
  types: ['IdentityCredential'],
  validity: bounds,
  proofValidity: bounds,
  proofKeys: issuer.trusted.keys,
  signaturesValid: true,
  hasStatus: false,
}
const unverified: Verdict = { ...verdict, proofKeys: [], signaturesValid: null }
const CID = `bafy${'a'.repeat(55)}`
const url = (i: number): string => `https://a.test/${i}`
const stored = (i: number, change: Partial<StoredCredential> = {}): StoredCredential => ({
  agentPda: AGENT.pda,
  vcHash: `hash ${i}`,
  credentialUrl: url(i),
  source: 'card',
  type: 'IdentityCredential',
  issuer: issuer.did,
  validFrom: null,
  validUntil: null,
  verdict,
  status: null,
  indexedAt: '2026-11-01T00:00:00.000Z',
  ...change,
})
const listOf = <Item>(count: number, item: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => item(i))

const store = {
  find: vi.fn<CredentialStore['find']>(),
  getDocument: vi.fn<CredentialStore['getDocument']>(),
  attach: vi.fn<CredentialStore['attach']>(),
  setVerdict: vi.fn<CredentialStore['setVerdict']>(),
  removeUnlisted: vi.fn<CredentialStore['removeUnlisted']>(),
}
const verify = vi.fn<(raw: unknown, about: object) => Promise<VerificationResult>>()
const answers = (change: Partial<VerificationResult>): void => {
  const result = { structurallyValid: true, type: '', issuer: issuer.did, verdict, ...change }
  verify.mockResolvedValue(result as VerificationResult)
}
beforeEach(() => {
  store.getDocument.mockImplementation(async (_, vcHash) => `document of ${vcHash}`)
  answers({})
})
afterEach(() => {
  vi.resetAllMocks()
})

describe('a list of attached credentials', () => {
  const shown = async (credentials: StoredCredential[], filter = {}): Promise<boolean[]> => {
    store.find.mockResolvedValue(credentials)
    const context = { now: NOW, trust, rulesVersion: 'rules' }
    const lists = await listCredentials([AGENT], filter, context, { store, verifier: { verify } })
    return lists.get(AGENT.pda)!.credentials.map(({ proofVerified }) => proofVerified)
  }
  const old = stored(1, { verdict: unverified })

  test('verifies what was not verified yet, without a fetch of status lists, and stores the result', async () => {
    expect(await shown([old, stored(2)])).toEqual([true, true])
    expect(verify.mock.calls).toEqual([
      [
        Buffer.from('document of hash 1'),
        { now: NOW, trust, agentDid: 'did:sol:owner', checksStatus: false },
      ],
    ])
    expect(store.setVerdict.mock.calls).toEqual([[AGENT.pda, 'hash 1', verdict]])
  })

  test('shows the stored verdict while the verifier is busy, or without the document', async () => {
    verify.mockRejectedValueOnce(new DomainError('VERIFIER_BUSY'))
    expect(await shown([old])).toEqual([false])
    store.getDocument.mockResolvedValueOnce(null)
    expect(await shown([old])).toEqual([false])
    expect(store.setVerdict).not.toHaveBeenCalled()
  })

  test.each([new Error('no memory'), new DomainError('AGENT_NOT_FOUND')])(
    'fails if a verification throws %s',
    async (error) => {
      verify.mockRejectedValue(error)
      await expect(shown([old])).rejects.toBe(error)
    },
  )

  test('verifies at most 20 documents', async () => {
    const credentials = listOf(22, (i) => stored(i, { verdict: unverified }))
    expect(await shown(credentials)).toEqual([...Array<boolean>(20).fill(true), false, false])
    expect(verify).toHaveBeenCalledTimes(20)
  })

  test.each<[string, Partial<VerificationResult>, number]>([
    ['no signature was verified', { verdict: unverified }, 0],
    ['a signature is wrong', { verdict: { ...verdict, signaturesValid: false } }, 1],
    ['the rules are new', { verdict: { ...unverified, rulesVersion: 'other' } }, 1],
    ['the database cannot store its text', { type: 'a\0' }, 0],
  ])('stores the new verdict only if it has news: %s', async (_, change, times) => {
    answers(change)
    await shown([old])
    expect(store.setVerdict).toHaveBeenCalledTimes(times)
  })

  test('has no credential that the filter excludes, and does not verify one of another type', async () => {
    const expired = stored(2, { verdict: { ...verdict, wellFormed: false } })
    const list = [stored(1), expired]
    expect(await shown(list, { active: true })).toEqual([true])
    expect(await shown(list, { active: false })).toEqual([true])
    expect(await shown(list, { active: null, type: null })).toHaveLength(2)
    expect(await shown([old], { type: 'Other' })).toEqual([])
    expect(verify).not.toHaveBeenCalled()
  })
})

describe('a refresh', () => {
  let now = NOW
  const fetched: string[] = []
  const refresh = (
    listed: string[] | null,
    { signal, ...change }: Partial<RefreshDependencies> & { signal?: AbortSignal } = {},
  ): Promise<void> => {
    const http = {
      checkUrl: (text: string) => new URL(text),
      get: async (text: string) => {
        fetched.push(text)
        now += 10
        const body = Buffer.from(text)
        return { outcome: 'response', status: text.endsWith('404') ? 404 : 200, body, headers: {} }
      },
    }
    const hosted = {
      http,
      budget: { isUsedUp: () => false, charge: () => {} },
      gateways: { ipfs: 'https://ipfs.test', arweave: null },
      totalMs: 1_000,
      ...(signal && { signal }),
    }
    return refreshCredentials(
      { ...AGENT, listed },
      {
        store,
        verifier: { verify },
        trust: async () => trust,
        hosted: { ...hosted, cardUrlOf: async () => null } as never,
        slots: (_, run) => run(),
        now: () => now,
        limitMs: 1_000,
        ...change,
      },
    )
  }
  const attached = () =>
    store.attach.mock.calls.map(([{ credentialUrl, source, document }]) => [
      credentialUrl,
      source,
      Buffer.from(document).toString(),
    ])
  beforeEach(() => {
    now = NOW
    fetched.length = 0
    store.find.mockResolvedValue([])
  })

  test('first verifies the stored documents that have a status, then fetches each URL once', async () => {
    store.find.mockResolvedValue([
      stored(1, { verdict: { ...verdict, hasStatus: true } }),
      stored(2, { source: 'owner' }),
    ])
    await refresh([url(3), url(1), url(3)])
    expect(store.removeUnlisted.mock.calls).toEqual([[AGENT.pda, [url(3), url(1), url(3)]]])
    expect(attached()).toEqual([
      [url(1), 'card', 'document of hash 1'],
      [url(3), 'card', url(3)],
      [url(1), 'card', url(1)],
      [url(2), 'owner', url(2)],
    ])
    expect(fetched).toEqual([url(3), url(1), url(2)])
  })

  test('removes nothing without a matching card', async () => {
    await refresh(null)
    expect(store.removeUnlisted).not.toHaveBeenCalled()
  })

  test('fetches https, http, ipfs and ar only, and skips what cannot be fetched', async () => {
    await refresh([
      'did:web:bar:x',
      'file:///x',
      'xhttps://a.test/',
      url(404),
      'HTTPS://a.test/1',
      `ipfs://${CID}`,
    ])
    expect(fetched).toEqual([url(404), 'https://a.test/1', `https://ipfs.test/ipfs/${CID}`])
    expect(attached().map(([each]) => each)).toEqual(['HTTPS://a.test/1', `ipfs://${CID}`])
  })

  test(`fetches at most ${2 * MAX_CREDENTIALS} URLs`, async () => {
    await refresh(listOf(2 * MAX_CREDENTIALS + 1, url), { limitMs: 1_000_000 })
    expect(fetched).toHaveLength(2 * MAX_CREDENTIALS)
  })

  test('continues after a busy verifier, and fails after another error', async () => {
    verify.mockRejectedValueOnce(new DomainError('VERIFIER_BUSY'))
    await refresh([url(1), url(2)])
    expect(attached().map(([each]) => each)).toEqual([url(2)])
    verify.mockRejectedValueOnce(new Error('no memory'))
    await expect(refresh([url(1)])).rejects.toThrow('no memory')
  })

  test('fetches until its time is over, also if a slot becomes free too late', async () => {
    await refresh(listOf(9, url), { limitMs: 20 })
    expect(fetched).toEqual([0, 1, 2].map(url))
    await refresh([url(1)], {
      slots: (_, run) => {
        now += 1_001
        return run()
      },
    })
    expect(fetched).toHaveLength(3)
  })

  test('stops at shutdown', async () => {
    store.find.mockResolvedValue([stored(1, { verdict: { ...verdict, hasStatus: true } })])
    await refresh([url(1)], { signal: AbortSignal.abort() })
    expect([verify.mock.calls, fetched]).toEqual([[], []])
  })
})
