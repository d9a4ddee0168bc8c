import { visible } from '../domain/quoted.ts'

/**
 * How a command answers: lines for people, or one JSON document on `--json`. Invisible characters
 * are escaped, because other users choose names, and any gateway can write errors.
 */
export interface Output {
  readonly json: boolean
  result(value: object, lines: string[]): void
  /** Progress of long work, on a terminal only. */
  progress(text: string): void
}

export function createOutput(json: boolean, stdout = process.stdout, stderr = process.stderr): Output {
  return {
    json,
    result: (value, lines) => {
      if (stderr.isTTY) stderr.write('\r\u001B[K')
      stdout.write(
        json
          ? `${visible(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)))}\n`
          : `${lines.map(visible).join('\n')}\n`,
      )
    },
    progress: (text) => {
      if (stderr.isTTY && !json) stderr.write(`\r\u001B[K${visible(text)}`)
    },
  }
}
