import type { Client } from 'urql'
import { FindAgentDocument } from './search.generated.ts'

export const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const DID = /^did:sol:(?:\w+:)?([1-9A-HJ-NP-Za-km-z]{32,44})$/

export type Kind = 'did' | 'address' | 'signature' | 'id' | 'name'

/** What somebody typed. */
export function kindOf(typed: string): Kind {
  const text = typed.trim()
  if (DID.test(text)) return 'did'
  if (SIGNATURE.test(text)) return 'signature'
  if (UUID.test(text)) return 'id'
  return ADDRESS.test(text) ? 'address' : 'name'
}

/** The page for a name, an address of an agent or owner, a DID, a signature or a prepared id. */
export async function pageFor(client: Client, typed: string): Promise<string> {
  const text = typed.trim()
  const kind = kindOf(text)
  if (kind === 'signature' || kind === 'id') return `/tx/${text}`
  if (kind === 'name') return `/agents?name=${encodeURIComponent(text.slice(0, 64))}`
  const key = kind === 'did' ? DID.exec(text)![1]! : text
  const { data } = await client.query(FindAgentDocument, { pda: key }).toPromise()
  const found = data?.byAddress ?? data?.byOwner
  return `/agents/${found?.pda ?? key}`
}
