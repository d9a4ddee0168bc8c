import { vi } from 'vitest'
import { createProgram, errorText, exitCodeOf } from '../../src/cli/program.ts'

/** Runs a command in this process, which is faster than `npm run cli`. `env` is its environment. */
export async function runCommand(
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const savedEnv = process.env
  const json = args.includes('--json')
  let stdout = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    stdout += String(chunk)
    return true
  })
  process.env = { ...env }
  try {
    await (await createProgram(args, { json })).parseAsync(args, { from: 'user' })
    return { code: 0, stdout, stderr: '' }
  } catch (error) {
    return { code: exitCodeOf(error), stdout, stderr: errorText(error, json) ?? (error as Error).message }
  } finally {
    process.env = savedEnv
    write.mockRestore()
  }
}
