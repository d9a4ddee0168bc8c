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
