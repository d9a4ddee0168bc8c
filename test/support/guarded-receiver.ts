import { createGuardedHttp, type GuardedHttpOptions } from '../../src/platform/net/guarded-http.ts'
import { type Reply, startReceiver } from './receiver.ts'
import { createTestCa, type TestCa } from './tls.ts'
import { perFile } from './lifetime.ts'

let authority: Promise<TestCa> | undefined

/** A receiver with TLS on this machine, named `host`, and the only client that may call it. */
export async function startGuardedReceiver(
  host: string,
  { reply, ...options }: Partial<GuardedHttpOptions> & { reply?: Reply } = {},
) {
  const ca = await (authority ??= createTestCa())
  const receiver = await startReceiver({ tls: await ca.issue([host]), ...(reply && { reply }) })
  const http = createGuardedHttp({
    devMode: false,
    allowedPorts: [receiver.port, 1],
    allowCidrs: ['127.0.0.1/32'],
    extraCa: ca.pem,
    lookup: async (name) => (name === host ? ['127.0.0.1'] : []),
    ...options,
  })
  const close = async (): Promise<void> => {
    await http.close()
    await receiver.close()
  }
  return { receiver, http, close }
}

export const useGuardedReceiver = (...given: Parameters<typeof startGuardedReceiver>) =>
  perFile(() => startGuardedReceiver(...given))
