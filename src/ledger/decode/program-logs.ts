import { flatInvocations, type OuterInvocation } from './rpc-transaction.ts'

/** Data that the program logged with `sol_log_data`, and its location in the transaction. */
export interface ProgramData {
  /** Index of the outer instruction. */
  outer: number
  /** 0 for the outer instruction itself, n for the n-th instruction invoked under it. */
  inner: number
  /** Counts the data lines of one invocation. */
  ordinal: number
  data: Uint8Array
}

export interface ProgramLogs {
  entries: ProgramData[]
  /**
   * `truncated`: the runtime cut the logs. `inconsistent`: they do not match the instructions.
   * Nothing after the problem is used.
   */
  problem: 'truncated' | 'inconsistent' | null
}

interface Frame {
  programId: string
  outer: number
  inner: number
  dataLines: number
  entries: ProgramData[]
}

/** A program, and the depth of its invocation or, at its end, whether it succeeded. */
const FRAME = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) (?:invoke \[(\d{1,3})\]$|(success)$|failed(?:: |$))/
const DATA = 'Program data: '

/**
 * Finds the data that `programId` itself logged. Only the runtime writes lines with invoke, success
 * and failed: what a program logs starts with `Program log: ` or `Program data: `. So a stack of
 * invocations shows which program logged a data line.
 */
export function parseProgramLogs(
  logs: readonly string[],
  invocations: readonly OuterInvocation[],
  programId: string,
): ProgramLogs {
  const entries: ProgramData[] = []
  const stack: Frame[] = []
  let outer = -1
  let inner = 0
  let entered = 0
  const finish = (problem: ProgramLogs['problem']): ProgramLogs => ({
    entries: problem === 'truncated' ? [...entries, ...stack.flatMap((frame) => frame.entries)] : entries,
    problem,
  })

  /** False if the instructions contain no such invocation. */
  function enter(program: string, depth: number): boolean {
    if (depth !== stack.length + 1) return false
    if (depth === 1) {
      // Skips the instructions of precompiled programs, which log nothing.
      outer = invocations.findIndex((each, i) => i > outer && each.programId === program)
      inner = 0
      if (outer < 0) return false
    } else {
      const recorded = invocations[outer]?.inner ?? null
      const next =
        recorded === null ? inner : recorded.findIndex((each, i) => i >= inner && each.programId === program)
      if (next < 0) return false
      inner = next + 1
    }
    const isRecorded = depth === 1 || (invocations[outer]?.inner ?? null) !== null
    if (program === programId && isRecorded) entered += 1
    stack.push({ programId: program, outer, inner: depth === 1 ? 0 : inner, dataLines: 0, entries: [] })
    return true
  }

  function leave(program: string, succeeded: boolean): boolean {
    const frame = stack.pop()
    if (frame === undefined || frame.programId !== program) return false
    if (succeeded) (stack.at(-1)?.entries ?? entries).push(...frame.entries)
    return true
  }

  for (const line of logs) {
    // Shorter lines may follow the cut, but lines that would show their program may be missing.
    if (line === 'Log truncated') return finish('truncated')
    const [, program, depth, success] = FRAME.exec(line) ?? []
    if (program !== undefined) {
      const fits = depth === undefined ? leave(program, success !== undefined) : enter(program, Number(depth))
      if (!fits) return finish('inconsistent')
      continue
    }
    const frame = stack.at(-1)
    if (frame?.programId !== programId || !line.startsWith(DATA)) continue
    const slices = line.slice(DATA.length).split(' ')
    const data = Buffer.concat(slices.map((slice) => Buffer.from(slice, 'base64')))
    frame.entries.push({ outer: frame.outer, inner: frame.inner, ordinal: frame.dataLines++, data })
  }
  // A node may omit logs: then fewer invocations appear in them than the transaction has.
  const expected = flatInvocations(invocations).filter((each) => each.programId === programId).length
  return finish(stack.length === 0 && entered === expected ? null : 'inconsistent')
}
