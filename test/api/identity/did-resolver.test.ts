import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Resolver } from 'did-resolver'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { codeBlockOf, readGuide } from '../../support/guide.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const didOf = (agent: string): string => `did:sol:${keyOf(`owner ${agent}`)}`

const t = useTestApp({ listens: true })
let resolver: Resolver
beforeAll(async () => {
  await insertAgents(t.kysely, ['Kestrel', agentRow('Gone', { status: 'deactivated' })])
  vi.stubEnv('GATEWAY', t.url)
  const folder = temporaryFolder('did-resolver-')
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  const program = join(folder, 'resolver.mjs')
  writeFileSync(program, codeBlockOf(readGuide('credentials'), 'js'))
  ;({ resolver } = (await import(program)) as { resolver: Resolver })
})
afterAll(async () => {
  vi.unstubAllEnvs()
})

test('did-resolver resolves a DID, and the DID of a DID URL, with the driver of the guide', async () => {
  const did = didOf('Kestrel')
  const resolution = await resolver.resolve(did)
  expect(resolution).toMatchObject({
    didDocument: {
      id: did,
      verificationMethod: [{ id: `${did}#key-1`, type: 'Multikey', controller: did }],
      assertionMethod: [`${did}#key-1`],
    },
    didResolutionMetadata: { contentType: 'application/did' },
    didDocumentMetadata: { created: expect.stringMatching(/Z$/) as string },
  })
  expect(await resolver.resolve(`${did}#key-1`)).toEqual(resolution)
})

test('did-resolver reports that an agent is deactivated', async () => {
  const { didDocument, didDocumentMetadata } = await resolver.resolve(didOf('Gone'))
  expect(didDocument).toMatchObject({ id: didOf('Gone') })
  expect(didDocumentMetadata).toMatchObject({ deactivated: true })
})

test.each([
  [didOf('nobody'), 'NOT_FOUND'],
  ['did:sol:x', 'INVALID_DID'],
])('did-resolver reports for %s the error %s as text', async (did, type) => {
  expect(await resolver.resolve(did)).toMatchObject({
    didDocument: null,
    didResolutionMetadata: {
      error: `https://www.w3.org/ns/did#${type}`,
      message: expect.any(String) as string,
    },
  })
})
