import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookEvent } from '@agent-registry/client/webhooks'

export interface Received {
  readonly event: WebhookEvent
  readonly signature: string
}

/** Receives webhooks and hosts documents. */
export interface Receiver {
  readonly baseUrl: string
  /** Verifies the following deliveries. */
  secret: string
  /** JSON texts by path. */
  readonly documents: Map<string, string>
  readonly received: Received[]
  /** Errors of deliveries with an invalid signature. */
  readonly refused: string[]
  close(): void
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const document = receiver.documents.get(request.url ?? '')
      response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(document)
      return
    }
    void answerDelivery(request, response)
  })
  const answerDelivery = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const rawBody = Buffer.concat((await request.toArray()) as Buffer[])
    response.writeHead((await accept(receiver, rawBody, request.headers)) ? 200 : 400).end()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret: '',
    documents: new Map(),
    received: [],
    refused: [],
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return receiver
}

async function accept(receiver: Receiver, rawBody: Buffer, headers: IncomingHttpHeaders): Promise<boolean> {
  try {
    const event = await verifyWebhook(rawBody, headers, receiver.secret)
    receiver.received.push({ event, signature: String(headers['x-service-signature']) })
    return true
  } catch (error) {
    receiver.refused.push(String(error))
    return false
  }
}
