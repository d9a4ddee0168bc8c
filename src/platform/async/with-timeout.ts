/** The result of `work`, or null after `ms`. A result or an error that comes later is ignored. */
export function withTimeout<Result>(ms: number, work: Promise<Result>): Promise<Result | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Result | null>()
  const timer = setTimeout(() => resolve(null), ms)
  work.finally(() => clearTimeout(timer)).then(resolve, reject)
  return promise
}
