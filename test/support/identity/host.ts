import { startGuardedReceiver } from '../guarded-receiver.ts'
import type { Reply } from '../receiver.ts'

export const HOST = 'cards.test'

/** A host of documents, and a guarded HTTP client that treats its name and port as public. */
export async function startHost() {
  const answers = new Map<string, Reply>()
  const { receiver, http, close } = await startGuardedReceiver(HOST, {
    reply: (request, response) => {
      const answer = answers.get(request.path) ?? { status: 404 }
      return typeof answer === 'function' ? answer(request, response) : answer
    },
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
    close,
  }
}
export type TestHost = Awaited<ReturnType<typeof startHost>>
