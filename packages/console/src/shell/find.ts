import type { Client } from 'urql'
import { FindAgentDocument } from './search.generated.ts'

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{80,90}$/
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** The page for a name, an address of an agent or owner, a DID, a signature or a prepared id. */
export async function pageFor(client: Client, typed: string): Promise<string> {
  const text = typed.trim()
  const key = text.replace(/^did:sol:(?:\w+:)?/, '')
  if (SIGNATURE.test(text) || UUID.test(text) || text.startsWith('tx_'))
    return `/tx/${encodeURIComponent(text)}`
  if (ADDRESS.test(key)) {
    const { data } = await client.query(FindAgentDocument, { pda: key }).toPromise()
    const found = data?.byAddress ?? data?.byOwner
    return `/agents/${found?.pda ?? key}`
  }
  return `/?name=${encodeURIComponent(text)}`
}
