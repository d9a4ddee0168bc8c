import { createGuardedHttp, type GuardedHttpOptions } from '../../src/platform/net/guarded-http.ts'
import { startReceiver } from './receiver.ts'
import { createTestCa } from './tls.ts'
import { perFile } from './lifetime.ts'

/** A receiver with TLS on this machine, named `host`, and the only client that may call it. */
export const useGuardedReceiver = (host: string, options: Partial<GuardedHttpOptions> = {}) =>
  perFile(async () => {
    const ca = await createTestCa()
    const receiver = await startReceiver({ tls: await ca.issue([host]) })
    const http = createGuardedHttp({
      devMode: false,
      allowedPorts: [receiver.port],
      allowCidrs: ['127.0.0.1/32'],
      extraCa: ca.pem,
      lookup: async () => ['127.0.0.1'],
      ...options,
    })
    const close = async (): Promise<void> => {
      await http.close()
      await receiver.close()
    }
    return { ca, receiver, http, close }
  })
