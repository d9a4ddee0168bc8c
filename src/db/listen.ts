import { openSession } from './session.ts'
import type { Orm } from './orm-types.ts'

/** A connection that hears a channel; `lost` once it is gone. */
export interface Listening {
  readonly lost: boolean
  close(): Promise<void>
}

/** Calls `onHint` at each notification, and once when the connection is lost. What it says is a hint: who must know looks for itself. */
export async function listen(orm: Orm, channel: string, onHint: () => void): Promise<Listening> {
  const client = await openSession(orm)
  let lost = false
  const lose = (): void => {
    if (lost) return
    lost = true
    onHint()
  }
  client.on('error', lose)
  client.on('end', lose)
  client.on('notification', onHint)
  const close = async (): Promise<void> => {
    lost = true
    await client.end().catch(() => undefined)
  }
  try {
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
  } catch (error) {
    await close()
    throw error
  }
  return {
    get lost() {
      return lost
    },
    close,
  }
}
