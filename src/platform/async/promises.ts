/** The result of `work`, or null after `ms`. A result or an error that comes later is ignored. */
export function withTimeout<Result>(ms: number, work: Promise<Result>): Promise<Result | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Result | null>()
  const timer = setTimeout(() => resolve(null), ms)
  work.finally(() => clearTimeout(timer)).then(resolve, reject)
  return promise
}

/** Like `work`, but rejects when `signal` aborts. A later result of `work` is ignored. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Like Promise.all, but waits for both, so that nothing still runs when it throws. */
export async function settleBoth<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return [await first, await second]
}

export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** Splits pages into batches of at most `size`. No batch spans two pages. */
export async function* batchesOf<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  size: number,
): AsyncGenerator<Item[]> {
  for await (const page of pages) yield* chunksOf(page, size)
}
