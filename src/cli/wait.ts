import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from './command-error.ts'

const TIMEOUT_MS = 20_000
const INTERVAL_MS = 50

/** Calls `find` until it returns a value. Throws CommandError after 20 s. */
export async function waitFor<Found>(
  what: string,
  find: () => Found | null | undefined | Promise<Found | null | undefined>,
): Promise<Found> {
  const deadline = Date.now() + TIMEOUT_MS
  for (;;) {
    const found = await find()
    if (found !== null && found !== undefined) return found
    if (Date.now() > deadline)
      throw new CommandError(`${what} did not happen within ${TIMEOUT_MS / 1000} seconds`)
    await sleep(INTERVAL_MS)
  }
}
