/** Which mutants are run. All of them: one in 1, from 0. */
export interface Sample {
  readonly oneIn: number
  readonly from: number
}

const { from, oneIn } = JSON.parse(process.env.MUTATION_SAMPLE!) as Sample

/** A checker plugin of Stryker: of `oneIn` mutants in a row, only number `from` is run. */
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
              Number(id) % oneIn === from
                ? { status: 'passed' }
                : { status: 'compileError', reason: 'not in the sample' },
            ]),
          ),
        ),
    },
  },
]
