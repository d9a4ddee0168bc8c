import type { Receiver } from '../../support/receiver.ts'
import { walletOf } from '../../support/wallet.ts'
import { callJson } from '../../support/http.ts'

const EVENT = 'agent.reputation_updated'

export interface Subscribed {
  id: string
  secret: string
}

/** Creates a webhook for reputation events of one agent, owned by the wallet with this label. */
export function subscribe(baseUrl: string, url: string, label: string, agent: string): Promise<Subscribed> {
  return signedPost(baseUrl, '/webhooks', label, { url, eventTypes: [EVENT], filterAgentPda: agent })
}

export function rotateSecret(baseUrl: string, id: string, label: string): Promise<{ secret: string }> {
  return signedPost(baseUrl, `/webhooks/${id}/rotate-secret`, label, {})
}

async function signedPost<Body>(baseUrl: string, path: string, label: string, body: object): Promise<Body> {
  const headers = walletOf(label).headers('POST', path, Date.now())
  const response = await callJson<Body>(`${baseUrl}${path}`, body, headers)
  if (response.status >= 300) throw new Error(`${path} responded with ${JSON.stringify(response)}`)
  return response.body
}

export function idsReceived({ requests }: Receiver): Set<string> {
  return new Set(requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id))
}
