import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { visible } from '../domain/quoted.ts'
import { OperatorError } from '../platform/process/operator-error.ts'

export type Output = ReturnType<typeof outputOf>

/**
 * How a command answers: lines for people, or one JSON document on `--json`. Invisible characters
 * are escaped, because other users choose names, and any gateway can write errors.
 */
export function outputOf(command: Command) {
  const json = command.optsWithGlobals<{ json?: boolean }>().json === true
  const { stdout, stderr } = process
  const write = (stream: NodeJS.WriteStream, value: object, lines: string[]): void => {
    if (stderr.isTTY) stderr.write('\r\u001B[K')
    stream.write(json ? `${visible(jsonOf(value))}\n` : `${lines.map(visible).join('\n')}\n`)
  }
  return {
    json,
    result: (value: object, lines: string[]): void => write(stdout, value, lines),
    /** What must be known even if the command is killed, on standard error. */
    announce: (value: object, lines: string[]): void => write(stderr, value, lines),
    /** Progress of long work, on a terminal only. */
    progress: (text: string): void => {
      if (stderr.isTTY && !json) stderr.write(`\r\u001B[K${visible(text)}`)
    },
  }
}

/** Amounts of the client are bigint. */
export const jsonOf = (value: object): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))

/** The exit code of a command that signed a transaction and does not know whether it landed. */
export const OUTCOME_UNKNOWN = 3

interface CommandErrorOptions extends ErrorOptions {
  /** 1 by default. */
  readonly exitCode?: number
}

/** A command failed. The message says why and what to do. */
export class CommandError extends OperatorError {
  override readonly name = 'CommandError'
  /** What `--json` adds to the message, such as the code of a gateway's error. */
  readonly details: Readonly<Record<string, unknown>>
  readonly exitCode: number

  constructor(
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    { exitCode = 1, ...options }: CommandErrorOptions = {},
  ) {
    super(message, options)
    this.details = details
    this.exitCode = exitCode
  }
}

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
