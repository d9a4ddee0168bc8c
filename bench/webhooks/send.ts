import { systemClock } from '../../src/platform/clock.ts'
import { createGuardedHttp } from '../../src/platform/net/guarded-http.ts'
import { createSender, type Send } from '../../src/webhooks/send.ts'

/** The sender of the service. In dev mode each name under localhost is a separate host. */
export function createBenchSend(): { send: Send; close: () => Promise<void> } {
  const http = createGuardedHttp({ devMode: true, allowedPorts: [443] })
  return { send: createSender({ http, clock: systemClock }), close: () => http.close() }
}
