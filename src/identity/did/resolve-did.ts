import type { Kysely } from 'kysely'
import type { AgentRow } from '../../agents/agent-row.ts'
import { findAgentOf } from '../../agents/find-agent-of.ts'
import type { Database } from '../../db/database.ts'
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

export function createDidResolver(kysely: Kysely<Database>, programId: string): DidResolver {
  return {
    resolve: async (did) => {
      const owner = parseDid(did)
      const agent = await findAgentOf(kysely, owner)
      if (agent === null) throw new DomainError('DID_NOT_FOUND')
      return { did, agent, didDocument: didDocument(agent, programId) }
    },
  }
}
