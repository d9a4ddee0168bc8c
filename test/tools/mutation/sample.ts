const EVERY = Number(process.env.MUTATION_EVERY)

/** A checker plugin of Stryker: of N mutants in a row, one is run. The others count as invalid. */
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
              Number(id) % EVERY === 0
                ? { status: 'passed' }
                : { status: 'compileError', reason: 'not in the sample' },
            ]),
          ),
        ),
    },
  },
]
