const [FIRST, EVERY] = (process.env.MUTATION_SAMPLE ?? '').split('/').map(Number) as [number, number]

/** A checker plugin of Stryker: of N mutants in a row, one is run. Others are no part of the score. */
export const strykerPlugins = [
  {
    kind: 'Checker',
    name: 'sample',
    value: {
      init: () => Promise.resolve(),
      check: (mutants: readonly { id: string }[]) =>
        Promise.resolve(
          Object.fromEntries(
            mutants.map(({ id }) => [
              id,
              Number(id) % EVERY === FIRST
                ? { status: 'passed' }
                : { status: 'compileError', reason: 'not in the sample' },
            ]),
          ),
        ),
    },
  },
]
