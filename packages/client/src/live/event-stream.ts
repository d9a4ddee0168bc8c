/** One message of a stream of server-sent events. */
export interface StreamMessage {
  readonly event: string
  readonly data: string
}

/**
 * Reads messages until the stream ends. Comments, which keep a connection open, reset the timer.
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<StreamMessage> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let buffer = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onActivity()
      buffer += decoder.decode(value, { stream: true })
      const blocks = buffer.split(/\r?\n\r?\n/)
      buffer = blocks.pop()!
      for (const block of blocks) {
        const message = parseBlock(block)
        if (message !== null) yield message
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parseBlock(block: string): StreamMessage | null {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    // With the flag s, because names of agents can contain U+2028, which ends a line for a pattern.
    const [, name, value = ''] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? []
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  return data.length === 0 && event === 'message' ? null : { event, data: data.join('\n') }
}
