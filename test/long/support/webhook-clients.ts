import type { Receiver } from '../../support/receiver.ts'
import { walletOf } from '../../support/wallet.ts'

const EVENT = 'agent.reputation_updated'

export interface Subscribed {
  id: string
  secret: string
}

/** A webhook of the wallet of this label for reports about one agent, made at the service. */
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
  const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}

/** Ids of the events that arrived. */
export function idsReceived({ requests }: Receiver): Set<string> {
  return new Set(requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id))
}
