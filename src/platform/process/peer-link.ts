/** The part of ChildProcess and `process` that is used. */
export interface IpcChannel {
  readonly connected: boolean
  send?(message: object, handle: undefined, options: undefined, done: () => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/** Messages that Node holds in memory while the other process does not read. */
const MAX_UNWRITTEN = 200

export interface Link {
  send(message: object): 'sent' | 'gone' | 'busy'
}

/** Sends over IPC. Node would store any number of messages for a process that is paused. */
export function createLink(channel: IpcChannel): Link {
  let unwritten = 0
  return {
    send: (message) => {
      if (!channel.connected) return 'gone'
      if (unwritten >= MAX_UNWRITTEN) return 'busy'
      // An error means that the process has just ended. The caller gets no reply.
      channel.send?.(message, undefined, undefined, () => (unwritten -= 1))
      unwritten += 1
      return 'sent'
    },
  }
}
