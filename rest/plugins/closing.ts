import type { RestApp } from '../rest-app.ts'

/** Tells clients that are answered while the service stops to close their connections, which it would else keep open for them. */
export function closeAnswered(app: RestApp): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })
}
