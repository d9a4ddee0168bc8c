import type { Client } from 'pg'
import type { Orm } from './orm-types.ts'
import { openSession } from './session.ts'

export interface Listening {
  /** The connection that listens. It can run other queries, one at a time. */
  readonly client: Client
  readonly lost: boolean
  close(): Promise<void>
}

/**
 * Listens to a channel on its own connection. Calls `onNotification` with the payload of each
 * notification, and once without one when the connection is lost: notifications can be missed, so
 * callers must also poll.
 */
export async function listen(
  orm: Orm,
  channel: string,
  onNotification: (payload?: string) => void,
): Promise<Listening> {
  const client = await openSession(orm)
  let lost = false
  const close = async (): Promise<void> => {
    lost = true
    await client.end().catch(() => undefined)
  }
  const onLost = (): void => {
    if (lost) return
    void close()
    onNotification()
  }
  client.on('error', onLost)
  client.on('end', onLost)
  client.on('notification', ({ payload }) => onNotification(payload))
  try {
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
  } catch (error) {
    await close()
    throw error
  }
  return {
    client,
    get lost() {
      return lost
    },
    close,
  }
}
