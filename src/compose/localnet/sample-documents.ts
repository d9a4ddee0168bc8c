import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DomainError } from '../../domain/errors.ts'
import { sha256 } from '../../identity/json.ts'

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
/** CID version 1, raw bytes, SHA-256 of 32 bytes. */
const CID_PREFIX = Buffer.from([0x01, 0x55, 0x12, 0x20])

const folderOf = (dataDir: string): string => join(dataDir, 'sample-documents')

/** The IPFS content identifier of a document in one block. */
export function ipfsCid(document: Uint8Array): string {
  const bits = [...CID_PREFIX, ...sha256(document)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return `b${bits.replace(/.{1,5}/g, (five) => BASE32.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))}`
}

const publishedIn = (dataDir: string): string => join(dataDir, 'published-documents')
/** Published by anybody, of at most 16 KiB each. */
const MAX_PUBLISHED = 2_000

/** Stores a document, and returns its URL. Throws INVALID_REQUEST if there are too many. */
export function publishDocument(dataDir: string, document: Uint8Array): string {
  const folder = publishedIn(dataDir)
  const cid = ipfsCid(document)
  const file = join(folder, cid)
  mkdirSync(folder, { recursive: true })
  if (!existsSync(file) && readdirSync(folder).length >= MAX_PUBLISHED)
    throw new DomainError('INVALID_REQUEST', {
      problem: `this localnet has ${MAX_PUBLISHED} published documents and takes no more`,
    })
  writeFileSync(file, document)
  return `ipfs://${cid}`
}

/** `documents` by content identifier. */
export function writeSampleDocuments(dataDir: string, documents: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(folderOf(dataDir), { recursive: true })
  for (const [cid, bytes] of documents) writeFileSync(join(folderOf(dataDir), cid), bytes)
}

/** An IPFS gateway that has only the documents of the localnet, on a free port of this machine. */
export async function serveSampleDocuments(
  dataDir: string,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const [, cid] = /^\/ipfs\/(\w+)$/.exec(request.url ?? '') ?? []
    try {
      const folder = [folderOf, publishedIn]
        .map((each) => each(dataDir))
        .find((each) => existsSync(join(each, cid!)))
      const body = readFileSync(join(folder!, cid!))
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
