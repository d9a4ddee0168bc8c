import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { verifyWebhook } from './verify-webhook.ts'

// webhook-receiver.ts PORT FOLDER: verifies webhooks with the secret in FOLDER/webhook.json. Serves
// the other files of FOLDER.
const [port = '', folder = ''] = process.argv.slice(2)

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const rawBody = Buffer.concat((await request.toArray()) as Buffer[])
  try {
    const { secret } = JSON.parse(readFileSync(join(folder, 'webhook.json'), 'utf8')) as { secret: string }
    const { id, type, data } = verifyWebhook(rawBody, request.headers, secret, { toleranceSeconds: 300 })
    response.writeHead(200).end()
    process.stdout.write(`verified ${type} ${id} ${JSON.stringify(data)}\n`)
  } catch (error) {
    response.writeHead(400).end()
    process.stdout.write(`refused: ${(error as Error).message}\n`)
  }
}

createServer((request, response) => {
  const file = join(folder, (request.url ?? '').replaceAll('..', ''))
  if (request.method === 'POST') void receive(request, response)
  else if (existsSync(file))
    response.writeHead(200, { 'content-type': 'application/json' }).end(readFileSync(file))
  else response.writeHead(404).end()
}).listen(Number(port), '127.0.0.1')
