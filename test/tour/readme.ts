import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A command of the README's tour, and what it printed when it was written. */
export interface TourStep {
  readonly command: string
  readonly printed: string
}

const INDENT = '    '

/** The commands of the section: lines `    $ …`, each with the indented lines that follow as its output. */
export function tourSteps(readme: string): TourStep[] {
  const section = /^## Five-minute tour$.*?(?=^## )/ms.exec(readme)?.[0] ?? ''
  const steps: { command: string; printed: string[] }[] = []
  let inOutput = false
  for (const line of section.split('\n')) {
    if (line.startsWith(`${INDENT}$ `)) {
      steps.push({ command: line.slice(INDENT.length + 2), printed: [] })
      inOutput = true
    } else if (line.startsWith(INDENT) && inOutput) steps.at(-1)?.printed.push(line.slice(INDENT.length))
    else inOutput = false
  }
  return steps.map(({ command, printed }) => ({ command, printed: printed.join('\n') }))
}

/** Runs commands one after the other in one shell, so that variables last; yields what each printed and its exit code. */
export async function* runInShell(
  commands: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): AsyncGenerator<{ command: string; printed: string; code: number }> {
  // A group of its own, so that what a command left running ends with it.
  const shell = spawn('bash', [], { ...options, stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const marker = `end-of-${process.pid}`
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  try {
    for (const command of commands) {
      shell.stdin.write(`${command}\nprintf '\\n%s %s\\n' ${marker} $?\n`)
      const printed: string[] = []
      let code = 0
      for (;;) {
        const { value = '', done = false } = await lines.next()
        if (done) throw new Error(`the shell ended in: ${command}`)
        if (value.startsWith(marker)) {
          code = Number(value.slice(marker.length + 1))
          break
        }
        printed.push(value)
      }
      yield { command, printed: printed.join('\n').trim(), code }
    }
  } finally {
    const closed = once(shell, 'close')
    process.kill(-(shell.pid ?? 0), 'SIGKILL')
    await closed
  }
}
