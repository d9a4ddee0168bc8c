import { systemClock } from '../../src/platform/clock.ts'
import { createGuardedHttp } from '../../src/platform/net/guarded-http.ts'
import { createSender, type Send } from '../../src/webhooks/worker/send.ts'

/** The service's own sender. In dev mode each name below localhost is a host of its own. */
export function createBenchSend(): { send: Send; close: () => Promise<void> } {
  const http = createGuardedHttp({ devMode: true, allowedPorts: [443] })
  return { send: createSender({ http, clock: systemClock }), close: () => http.close() }
}
