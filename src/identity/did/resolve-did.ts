import { type Kysely, sql } from 'kysely'
import { agentColumns, type AgentRow } from '../../agents/agent-row.ts'
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
      // The program allows one agent per owner. The order makes the result stable if another does
      // not.
      const { rows } = await sql<AgentRow>`
        select ${agentColumns} from agents where owner = ${owner}
        order by created_at, pda limit 1`.execute(kysely)
      const [agent] = rows
      if (agent === undefined) throw new DomainError('DID_NOT_FOUND')
      return { did, agent, didDocument: didDocument(agent, programId) }
    },
  }
}
