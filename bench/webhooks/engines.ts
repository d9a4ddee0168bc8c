export const ENGINES = ['gateway', 'graphile-worker', 'graphile-worker, batched'] as const
export type Engine = (typeof ENGINES)[number]

/** Concurrent attempts of each engine: three for each of 50 receivers. */
export const CONCURRENCY = 150

/**
 * Typed as string, because the package is not installed with the gateway and the compiler cannot
 * find it.
 */
export const GRAPHILE_WORKER: string = 'graphile-worker'
