import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type ResourceLink,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { knownError } from '../../src/domain/known-error.ts'
import { visible } from '../../src/domain/quoted.ts'
import type { McpContext } from './context.ts'

const AGENT_SCHEME = 'agent://'
/** An agent changes at most with each transaction, and a response may be a few seconds old. */
const CACHE_HINT = { ttlMs: 5_000, cacheScope: 'public' } as const

export const agentUri = (pda: string): string => `${AGENT_SCHEME}${pda}`

/** The address in the URI of an agent. Null for other URIs. */
export function pdaOfUri(uri: string): string | null {
  return uri.startsWith(AGENT_SCHEME) ? uri.slice(AGENT_SCHEME.length) : null
}

export function agentLink(pda: string, name: string): ResourceLink {
  return { type: 'resource_link', uri: agentUri(pda), name: visible(name), mimeType: 'application/json' }
}

type Read = (values: Record<string, unknown>, context: McpContext) => Promise<Record<string, unknown>>

/** What reads an agent, and the resolution of a DID. */
interface ResourceReaders {
  readonly agent: Read
  readonly did: Read
}

/** Offers agents and DID Documents as resources. */
export function addResources(server: McpServer, context: McpContext, readers: ResourceReaders): void {
  const { logger, admit } = context
  const read = async (
    uri: URL,
    mimeType: string,
    value: () => Promise<object>,
  ): Promise<ReadResourceResult> => {
    let done = (): void => undefined
    try {
      done = admit('low')
      return { contents: [{ uri: uri.href, mimeType, text: visible(JSON.stringify(await value())) }] }
    } catch (error) {
      const known = knownError(error)
      if (known === null) {
        logger.error({ err: error, uri: uri.href }, 'reading a resource failed')
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal server error')
      }
      const { message, code, status } = known
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri: uri.href, code, status })
    } finally {
      done()
    }
  }

  server.registerResource(
    'agent',
    new ResourceTemplate(`${AGENT_SCHEME}{pda}`, { list: undefined }),
    {
      title: 'Agent',
      description: 'An agent, by the address of its account',
      mimeType: 'application/json',
      cacheHint: CACHE_HINT,
    },
    (uri, { pda }) => read(uri, 'application/json', () => readers.agent({ pda: String(pda) }, context)),
  )
  server.registerResource(
    'did-document',
    new ResourceTemplate('did:sol:{owner}', { list: undefined }),
    {
      title: 'DID Document',
      description: 'The DID Document of an agent’s owner',
      mimeType: 'application/did+ld+json',
      cacheHint: CACHE_HINT,
    },
    (uri, { owner }) =>
      read(uri, 'application/did+ld+json', async () => {
        const { didDocument } = await readers.did({ did: `did:sol:${String(owner)}` }, context)
        return didDocument as object
      }),
  )
}
