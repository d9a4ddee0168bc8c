import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from './command-error.ts'

const PATIENCE_MS = 20_000
const EVERY_MS = 50

/** What `look` finds; asks again until it finds something. */
export async function waitFor<Found>(
  what: string,
  look: () => Found | null | undefined | Promise<Found | null | undefined>,
): Promise<Found> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const found = await look()
    if (found !== null && found !== undefined) return found
    if (Date.now() > deadline)
      throw new CommandError(`${what} did not happen within ${PATIENCE_MS / 1000} seconds`)
    await sleep(EVERY_MS)
  }
}
