/**
 * Runs `work` on up to `inFlight` inputs at a time. Yields results in the order of the inputs, all
 * that are ready at once. Starts more work while the caller uses what was yielded, so memory is
 * bounded by twice `inFlight`. No work is still running when it ends, also when it ends early.
 */
export async function* pipelined<Input, Output>(
  inputs: AsyncIterable<Input> | Iterable<Input>,
  inFlight: number,
  work: (input: Input) => Promise<Output>,
): AsyncGenerator<Output[]> {
  const tasks: Task<Output>[] = []
  const source = Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]()
  let ended = false
  const fill = async (): Promise<void> => {
    while (!ended && tasks.length < inFlight) {
      const next = await source.next()
      ended ||= next.done === true
      if (!ended) tasks.push(track(work(next.value as Input)))
    }
  }
  let filling = track(fill())
  try {
    for (;;) {
      while (tasks[0] === undefined) {
        await filling.settled
        filling.result!()
        if (tasks[0] !== undefined) break
        if (ended) return
        filling = track(fill())
      }
      await tasks[0].settled
      const firstPending = tasks.findIndex((task) => task.result === undefined)
      const ready = tasks.splice(0, firstPending < 0 ? tasks.length : firstPending)
      const results = ready.map((task) => task.result!())
      if (filling.result !== undefined) {
        filling.result()
        filling = track(fill())
      }
      yield results
    }
  } finally {
    ended = true
    await filling.settled
    await Promise.all(tasks.map((task) => task.settled))
    await source.return?.()
  }
}

interface Task<Output> {
  /** Never rejects. */
  readonly settled: Promise<void>
  /** Returns or throws the outcome. Set when the task has settled. */
  result?: () => Output
}

function track<Output>(promise: Promise<Output>): Task<Output> {
  const task: Task<Output> = {
    settled: promise.then(
      (value) => void (task.result = () => value),
      (error: unknown) =>
        void (task.result = () => {
          throw error
        }),
    ),
  }
  return task
}
