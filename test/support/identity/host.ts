import { createGuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { type Reply, startReceiver } from '../receiver.ts'
import { createTestCa, type TestCa } from '../tls.ts'

export const HOST = 'cards.test'

let ca: Promise<TestCa> | undefined

/** A TLS server on loopback, and a guarded HTTP client that treats its name and port as public. */
export async function startHost() {
  ca ??= createTestCa()
  const authority = await ca
  const answers = new Map<string, Reply>()
  const receiver = await startReceiver({
    tls: await authority.issue([HOST]),
    reply: (request, response) => {
      const answer = answers.get(request.path) ?? { status: 404 }
      return typeof answer === 'function' ? answer(request, response) : answer
    },
  })
  const http = createGuardedHttp({
    devMode: false,
    allowedPorts: [receiver.port, 1],
    allowCidrs: ['127.0.0.1/32'],
    extraCa: authority.pem,
    lookup: async (name) => (name === HOST ? ['127.0.0.1'] : []),
  })
  const origin = receiver.url('', HOST)
  return {
    origin,
    http,
    requests: () => receiver.requests.map(({ path }) => path),
    /** Sets the response of a path and returns its URL. */
    serve: (path: string, answer: string | Reply) => {
      answers.set(path, typeof answer === 'string' ? { body: answer } : answer)
      return origin + path
    },
    close: async () => {
      await http.close()
      await receiver.close()
    },
  }
}
export type TestHost = Awaited<ReturnType<typeof startHost>>
