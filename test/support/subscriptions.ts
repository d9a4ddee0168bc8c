import { expect } from 'vitest'

export interface StreamPart {
  data?: Record<string, unknown>
  errors?: { message: string; extensions: { code: string; status: number } }[]
}

/** Subscribes by the GraphQL over SSE protocol, in distinct connections mode. */
export async function openSse(baseUrl: string, query: string, variables: Record<string, unknown> = {}) {
  const connection = new AbortController()
  const response = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables }),
    signal: connection.signal,
  })
  const parts = read(response)
  return {
    response,
    /** The next result. Null if the stream completed. Rejects if the connection broke. */
    next: async () => (await parts.next()).value ?? null,
    cut: () => connection.abort(),
  }
}

async function* read({ body }: Response): AsyncGenerator<StreamPart, void> {
  let text = ''
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith('event: complete')) return
      if (!block.startsWith('event: next\ndata: ')) expect(block).toBe(':')
      else yield JSON.parse(block.slice('event: next\ndata: '.length)) as StreamPart
    }
  }
  throw new Error('the stream was cut')
}
