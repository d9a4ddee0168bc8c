import type { Receiver } from '../../support/receiver.ts'
import { walletOf } from '../../support/wallet.ts'

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
  const headers = {
    'content-type': 'application/json',
    ...walletOf(label).headers('POST', path, Date.now()),
  }
  const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`)
  return (await response.json()) as Body
}

/** The ids of the received events. */
export function idsReceived({ requests }: Receiver): Set<string> {
  return new Set(requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id))
}
