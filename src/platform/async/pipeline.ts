/**
 * Does `work` on up to `inFlight` inputs at a time and yields what is finished, in the order of the inputs: as many results
 * at once as are ready. It goes on while what it yielded is used, until as many are finished or under way again: so memory is bounded by
 * twice `inFlight`. Nothing is still under way when it ends, also when it ends early.
 */
export async function* pipelined<Input, Output>(
  inputs: AsyncIterable<Input> | Iterable<Input>,
  inFlight: number,
  work: (input: Input) => Promise<Output>,
): AsyncGenerator<Output[]> {
  const underway: Underway<Output>[] = []
  const source = iteratorOf(inputs)
  let ended = false
  const fill = async (): Promise<void> => {
    while (!ended && underway.length < inFlight) {
      const next = await source.next()
      ended ||= next.done === true
      if (!ended) underway.push(begin(work(next.value as Input)))
    }
  }
  let filling = begin(fill())
  try {
    for (;;) {
      while (underway[0] === undefined) {
        await filling.settled
        outcome(filling)
        if (underway[0] !== undefined) break
        if (ended) return
        filling = begin(fill())
      }
      await underway[0].settled
      const ready = underway.findIndex((each) => each.result === undefined)
      const results = underway.splice(0, ready < 0 ? underway.length : ready).map(outcome)
      if (filling.result !== undefined) {
        outcome(filling)
        filling = begin(fill())
      }
      yield results
    }
  } finally {
    ended = true
    await filling.settled
    await Promise.all(underway.map((each) => each.settled))
    await source.return?.()
  }
}

interface Underway<Output> {
  result: { value: Output } | { error: unknown } | undefined
  /** Never rejects. */
  settled: Promise<void>
}

function begin<Output>(promise: Promise<Output>): Underway<Output> {
  const underway: Underway<Output> = {
    result: undefined,
    settled: promise.then(
      (value) => void (underway.result = { value }),
      (error: unknown) => void (underway.result = { error }),
    ),
  }
  return underway
}

function outcome<Output>({ result }: Underway<Output>): Output {
  if (result === undefined || 'error' in result) throw result?.error
  return result.value
}

function iteratorOf<Input>(
  inputs: AsyncIterable<Input> | Iterable<Input>,
): AsyncIterator<Input> | Iterator<Input> {
  return Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]()
}
