import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A block of shell commands in a page, and the output that the page shows for it. */
export interface Step {
  /** One command per line. */
  readonly commands: string
  /** Empty if the page shows no output. */
  readonly output: string
  /** Where the output block is in the page: offsets of its first and after its last character. */
  readonly span: readonly [start: number, end: number] | null
}

const BLOCK = /^```bash\n(.*?)\n```\n(\n```(?:json|text)\n.*?\n```\n)?/gms

/**
 * The `bash` blocks of a Markdown page, each with the `json` or `text` block that follows it. `sh`
 * blocks are left out.
 */
export function readSteps(page: string): Step[] {
  return [...page.matchAll(BLOCK)].map(({ 0: block, 1: commands = '', 2: shown, index }) => {
    const end = index + block.length
    return {
      commands,
      output: shown?.replace(/^\n```\w+\n|\n```\n$/g, '') ?? '',
      span: shown === undefined ? null : [end - shown.length, end],
    }
  })
}

/**
 * Runs the steps in one shell, so that variables stay set. Yields the output of each step. Throws
 * if a command fails.
 */
export async function* runSteps(
  steps: readonly string[],
  { shell: shellName, ...options }: { shell: 'bash' | 'zsh'; cwd: string; env: NodeJS.ProcessEnv },
): AsyncGenerator<string> {
  // `detached` makes a process group, so that background commands end with the shell.
  const shell = spawn(shellName, [], { ...options, stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const marker = `end-of-${process.pid}`
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  try {
    for (const step of steps) {
      const printed: string[] = []
      for (const command of step.replaceAll('\\\n', '').split('\n')) {
        shell.stdin.write(`${command}\nprintf '\\n%s %s\\n' ${marker} $?\n`)
        for (;;) {
          const { value = '', done = false } = await lines.next()
          if (done) throw new Error(`the shell ended in: ${command}`)
          if (value.startsWith(marker)) {
            const code = Number(value.slice(marker.length + 1))
            if (code !== 0) throw new Error(`exit code ${code} of: ${command}\n${printed.join('\n')}`)
            break
          }
          printed.push(value)
        }
      }
      yield printed.join('\n').trim()
    }
  } finally {
    const closed = once(shell, 'close')
    process.kill(-(shell.pid ?? 0), 'SIGKILL')
    await closed
  }
}
