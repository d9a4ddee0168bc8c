/** A command cannot do what was asked; the message says why and what to do. Exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
