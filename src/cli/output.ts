import { visible } from '../domain/quoted.ts'

/**
 * How a command answers: lines for people, or one JSON document on `--json`. Invisible characters
 * are escaped, because other users choose names, and any gateway can write errors.
 */
export interface Output {
  readonly json: boolean
  result(value: object, lines: string[]): void
  /** What must be known even if the command is killed, on standard error. */
  announce(value: object, lines: string[]): void
  /** Progress of long work, on a terminal only. */
  progress(text: string): void
}

export function createOutput(json: boolean, stdout = process.stdout, stderr = process.stderr): Output {
  const write = (stream: NodeJS.WriteStream, value: object, lines: string[]): void => {
    if (stderr.isTTY) stderr.write('\r\u001B[K')
    stream.write(json ? `${visible(jsonOf(value))}\n` : `${lines.map(visible).join('\n')}\n`)
  }
  return {
    json,
    result: (value, lines) => write(stdout, value, lines),
    announce: (value, lines) => write(stderr, value, lines),
    progress: (text) => {
      if (stderr.isTTY && !json) stderr.write(`\r\u001B[K${visible(text)}`)
    },
  }
}

const jsonOf = (value: object): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
