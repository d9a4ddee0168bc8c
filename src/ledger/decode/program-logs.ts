import type { OuterInvocation } from './transaction.ts'

/** Bytes that the program logged with `sol_log_data`, and where: the event's identity within its transaction. */
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
  /** `truncated`: the runtime cut the logs. `inconsistent`: they do not fit the instructions. Nothing after is believed. */
  problem: 'truncated' | 'inconsistent' | null
}

interface Frame {
  programId: string
  outer: number
  inner: number
  lines: number
  entries: ProgramData[]
}

/** The program; the depth where it is invoked, or its success where it ends. */
const FRAME = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) (?:invoke \[(\d{1,3})\]$|(success)$|failed(?:: |$))/
const DATA = 'Program data: '

/**
 * Finds what `programId` itself logged. The runtime writes the invoke, success and failed lines, and starts every line
 * that a program logs with `Program log: ` or `Program data: `, so a stack of invocations tells whose a data line is.
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

  function enter(program: string, depth: number): boolean {
    if (depth !== stack.length + 1) return false
    if (depth === 1) {
      // Precompiled programs log nothing: their instructions are passed over.
      outer = invocations.findIndex((each, i) => i > outer && each.programId === program)
      inner = 0
      if (outer < 0) return false
    } else {
      const recorded = invocations[outer]?.inner
      const next =
        recorded === null || recorded === undefined
          ? inner
          : recorded.findIndex((each, i) => i >= inner && each.programId === program)
      if (next < 0) return false
      inner = next + 1
    }
    if (program === programId && (depth === 1 || isRecorded(invocations[outer]))) entered += 1
    stack.push({ programId: program, outer, inner: depth === 1 ? 0 : inner, lines: 0, entries: [] })
    return true
  }

  function leave(program: string, succeeded: boolean): boolean {
    const frame = stack.pop()
    if (frame === undefined || frame.programId !== program) return false
    if (succeeded) (stack.at(-1)?.entries ?? entries).push(...frame.entries)
    return true
  }

  for (const line of logs) {
    // Shorter lines may still follow a cut one, under invocations whose own lines were cut: nobody can tell whose they are.
    if (line === 'Log truncated') return finish('truncated')
    const [, program, depth, success] = FRAME.exec(line) ?? []
    if (program !== undefined) {
      const fits = depth === undefined ? leave(program, success !== undefined) : enter(program, Number(depth))
      if (!fits) return finish('inconsistent')
      continue
    }
    const frame = stack.at(-1)
    if (frame?.programId !== programId || !line.startsWith(DATA)) continue
    const data = Buffer.concat(
      line
        .slice(DATA.length)
        .split(' ')
        .map((part) => Buffer.from(part, 'base64')),
    )
    frame.entries.push({ outer: frame.outer, inner: frame.inner, ordinal: frame.lines++, data })
  }
  return finish(
    stack.length === 0 && entered === countInvocations(invocations, programId) ? null : 'inconsistent',
  )
}

const isRecorded = (outer: OuterInvocation | undefined): boolean => (outer?.inner ?? null) !== null

/** A node may leave out logs; then fewer invocations appear in them than the transaction has. */
function countInvocations(invocations: readonly OuterInvocation[], programId: string): number {
  return invocations
    .flatMap((outer) => [outer, ...(outer.inner ?? [])])
    .filter((invocation) => invocation.programId === programId).length
}
