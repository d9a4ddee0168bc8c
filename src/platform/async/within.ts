/** Null where the work fails or takes longer. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | null> {
  const { promise: expired, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, ms, null)
  try {
    return await Promise.race([work, expired])
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}
