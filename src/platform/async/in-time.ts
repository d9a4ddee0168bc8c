/** The result, or null where it takes longer than `ms`; then nobody hears of it. */
export function inTime<Result>(ms: number, result: Promise<Result>): Promise<Result | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Result | null>()
  const timer = setTimeout(() => resolve(null), ms)
  result.finally(() => clearTimeout(timer)).then(resolve, reject)
  return promise
}
