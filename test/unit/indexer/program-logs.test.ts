import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseProgramLogs } from '../../../src/ledger/decode/program-logs.ts'
import type { OuterInvocation } from '../../../src/ledger/decode/rpc-transaction.ts'

const REGISTRY = 'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'
const HOSTILE = 'Host1eEvi1111111111111111111111111111111111'
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const PRECOMPILE = 'Ed25519SigVerify111111111111111111111111111'

const call = (programId: string, ...inner: string[]): OuterInvocation => ({
  programId,
  accounts: [],
  data: '',
  inner: inner.map((each) => ({ programId: each, accounts: [], data: '' })),
})
const data = (text: string): string => `Program data: ${Buffer.from(text).toString('base64')}`
const invoke = (program: string, depth = 1): string => `Program ${program} invoke [${depth}]`
const success = (program: string): string => `Program ${program} success`

const parse = (logs: string[], invocations: OuterInvocation[]) => {
  const { entries, problem } = parseProgramLogs(logs, invocations, REGISTRY)
  return {
    problem,
    entries: entries.map(
      (entry) => `${entry.outer}/${entry.inner}/${entry.ordinal} ${Buffer.from(entry.data).toString()}`,
    ),
  }
}

describe('parseProgramLogs locates events by outer and inner instruction', () => {
  test('with several instructions, a precompile that logs nothing and a call of the token program', () => {
    const logs = [
      invoke(REGISTRY),
      'Program log: Deposit',
      invoke(TOKEN, 2),
      data('not ours'),
      success(TOKEN),
      data('a'),
      'Program DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs consumed 100 of 200 compute units',
      data('b'),
      success(REGISTRY),
      invoke(REGISTRY),
      data('c'),
      success(REGISTRY),
    ]
    expect(parse(logs, [call(REGISTRY, TOKEN), call(PRECOMPILE), call(REGISTRY)])).toEqual({
      problem: null,
      entries: ['0/0/0 a', '0/0/1 b', '2/0/0 c'],
    })
  })

  test('when another program calls the registry twice', () => {
    const logs = [
      invoke(HOSTILE),
      invoke(TOKEN, 2),
      success(TOKEN),
      invoke(REGISTRY, 2),
      data('a'),
      success(REGISTRY),
      data('fake'),
      invoke(REGISTRY, 2),
      invoke(TOKEN, 3),
      success(TOKEN),
      data('b'),
      success(REGISTRY),
      success(HOSTILE),
    ]
    const invocations = [call(HOSTILE, TOKEN, REGISTRY, REGISTRY, TOKEN)]
    expect(parse(logs, invocations)).toEqual({ problem: null, entries: ['0/2/0 a', '0/3/0 b'] })
    expect(parse(logs, [{ ...invocations[0]!, inner: null }]).entries).toEqual(['0/2/0 a', '0/3/0 b'])
  })

  test('and joins the slices of one data line into one event', () => {
    const line = `Program data: ${Buffer.from('a').toString('base64')} ${Buffer.from('b').toString('base64')}`
    expect(parse([invoke(REGISTRY), line, success(REGISTRY)], [call(REGISTRY)]).entries).toEqual(['0/0/0 ab'])
  })
})

describe('parseProgramLogs accepts only data of the registry itself', () => {
  test.each([
    ['data of another program', [invoke(HOSTILE), data('x'), success(HOSTILE)]],
    ['data outside of any invocation', [data('x')]],
    [
      'log text that looks like a line of the runtime',
      [
        invoke(HOSTILE),
        `Program log: ${invoke(REGISTRY, 2)}`,
        `Program log: ${data('x')}`,
        data('x'),
        success(HOSTILE),
      ],
    ],
    [
      'log text with line breaks',
      [invoke(HOSTILE), `Program log: a\n${invoke(REGISTRY, 2)}\n${data('x')}`, success(HOSTILE)],
    ],
    ['data after the registry has returned', [invoke(HOSTILE), data('x'), success(HOSTILE), data('x')]],
    ['an invocation without an instruction', [invoke(REGISTRY), data('x'), success(REGISTRY)]],
    ['an invocation that failed', [invoke(HOSTILE), data('x'), `Program ${HOSTILE} failed: custom`]],
  ])('and ignores %s', (_, logs) => {
    expect(parse(logs, [call(HOSTILE, REGISTRY)]).entries).toEqual([])
  })

  test('and ignores a failed call of the registry whose caller succeeds', () => {
    const logs = [
      invoke(HOSTILE),
      invoke(REGISTRY, 2),
      data('undone'),
      `Program ${REGISTRY} failed: custom program error: 0x1770`,
      invoke(REGISTRY, 2),
      data('kept'),
      success(REGISTRY),
      success(HOSTILE),
    ]
    expect(parse(logs, [call(HOSTILE, REGISTRY, REGISTRY)])).toEqual({
      problem: null,
      entries: ['0/2/0 kept'],
    })
  })

  test('and reports logs that lack invocations of the registry', () => {
    const complete = [invoke(REGISTRY), data('a'), success(REGISTRY)]
    const twice = [call(REGISTRY), call(REGISTRY)]
    expect(parse(complete, twice)).toEqual({ problem: 'inconsistent', entries: ['0/0/0 a'] })
    expect(parse([], [call(HOSTILE, REGISTRY)])).toEqual({ problem: 'inconsistent', entries: [] })
    expect(parse([], [{ ...call(HOSTILE), inner: null }])).toEqual({ problem: null, entries: [] })
  })

  test('and ignores everything after truncated logs', () => {
    const logs = [invoke(REGISTRY), data('before'), 'Log truncated', data('after'), success(REGISTRY)]
    expect(parse(logs, [call(REGISTRY)])).toEqual({ problem: 'truncated', entries: ['0/0/0 before'] })
  })
})

test('arbitrary lines never throw and never yield data of another program', () => {
  const ours = fc.constant(data('ours'))
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('Log truncated', data('foreign'), 'Program data:', 'Program data: %%%', 'Program log: x'),
    fc
      .tuple(fc.constantFrom(REGISTRY, HOSTILE, TOKEN), fc.integer({ min: 0, max: 5 }))
      .map(([program, depth]) => invoke(program, depth)),
    fc.constantFrom(REGISTRY, HOSTILE, TOKEN).map(success),
    fc.constantFrom(REGISTRY, HOSTILE).map((program) => `Program ${program} failed: x`),
  )
  const invocation = fc
    .tuple(fc.constantFrom(REGISTRY, HOSTILE, TOKEN), fc.array(fc.constantFrom(REGISTRY, HOSTILE, TOKEN)))
    .map(([program, inner]) => call(program, ...inner))
  fc.assert(
    fc.property(fc.array(fc.oneof(line, ours)), fc.array(invocation), (logs, invocations) => {
      const { entries } = parseProgramLogs(logs, invocations, REGISTRY)
      for (const entry of entries) {
        const { programId, inner } = invocations[entry.outer]!
        expect(entry.inner === 0 ? programId : inner?.[entry.inner - 1]?.programId).toBe(REGISTRY)
      }
    }),
    { numRuns: 2000 },
  )
})

// Random call trees with logs like those of the runtime. Each program logs its own name and hostile
// text.
test('in well-formed logs exactly the data of the registry is found', () => {
  interface Call {
    program: string
    calls: readonly Call[]
  }
  const program = fc.constantFrom(REGISTRY, HOSTILE, TOKEN)
  const { tree } = fc.letrec<{ tree: Call }>((tie) => ({
    tree: fc.record({
      program,
      calls: fc.oneof(
        { maxDepth: 3 },
        fc.constant<readonly Call[]>([]),
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
    }),
  }))
  const write = (logs: string[], inner: string[], each: Call, depth: number): void => {
    if (depth > 1) inner.push(each.program)
    logs.push(invoke(each.program, depth), data(each.program))
    logs.push(`Program log: ${invoke(REGISTRY, depth + 1)}`, `Program log: ${data('fake')}`)
    for (const child of each.calls) write(logs, inner, child, depth + 1)
    logs.push(data(each.program), success(each.program))
  }
  const count = (each: Call): number =>
    (each.program === REGISTRY ? 2 : 0) + each.calls.reduce((sum, child) => sum + count(child), 0)
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 4 }), (calls) => {
      const logs: string[] = []
      const invocations = calls.map((each) => {
        const inner: string[] = []
        write(logs, inner, each, 1)
        return call(each.program, ...inner)
      })
      const { entries, problem } = parseProgramLogs(logs, invocations, REGISTRY)
      expect(problem).toBeNull()
      expect(entries.map((entry) => Buffer.from(entry.data).toString())).toEqual(
        Array.from({ length: calls.reduce((sum, each) => sum + count(each), 0) }, () => REGISTRY),
      )
      const places = entries.map((entry) => `${entry.outer}/${entry.inner}/${entry.ordinal}`)
      expect(new Set(places).size).toBe(places.length)
    }),
    { numRuns: 300 },
  )
})
