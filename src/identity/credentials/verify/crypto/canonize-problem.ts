import { quoted } from '../../../../domain/quoted.ts'

/** What jsonld says of a document that it does not take, short. */
export function canonizeProblem(error: unknown): string {
  const { message, details } = error as Error & {
    details?: { event?: { message?: string; details?: Record<string, unknown> }; code?: string }
  }
  const event = details?.event
  if (event?.message === undefined)
    return `${message.slice(0, 200)}${details?.code === undefined ? '' : ` (${details.code})`}`
  const { property, term, value, id, type } = event.details ?? {}
  const what = property ?? term ?? id ?? type ?? value
  return `${event.message.replace(/\.$/, '')}${what === undefined ? '' : `: ${quoted(what)}`}`
}
