import type { AgentRow } from '../../registry/rows.ts'
import type { AgentReads } from '../../agents/agent-reads.ts'
import { parseDid } from '../../domain/did.ts'
import { DomainError } from '../../domain/errors.ts'
import { type DidDocument, didDocument } from './document.ts'

export interface DidResolution {
  readonly did: string
  readonly agent: AgentRow
  readonly didDocument: DidDocument
}

export interface DidResolver {
  /** Throws INVALID_DID. Throws DID_NOT_FOUND if the owner has no agent or closed it. */
  resolve(did: string): Promise<DidResolution>
}

export function createDidResolver(agents: Pick<AgentReads, 'findByOwner'>, programId: string): DidResolver {
  return {
    resolve: async (did) => {
      const owner = parseDid(did)
      const agent = await agents.findByOwner(owner)
      if (agent === null) throw new DomainError('DID_NOT_FOUND')
      return { did, agent, didDocument: didDocument(agent, programId) }
    },
  }
}
