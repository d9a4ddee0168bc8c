export const ENGINES = ['gateway', 'graphile-worker', 'graphile-worker, batched'] as const
export type Engine = (typeof ENGINES)[number]

/** Attempts at once of each engine: three for each of 50 receivers. */
export const CONCURRENCY = 150

/** Not installed with the gateway, so that the compiler must not look for it. */
export const GRAPHILE_WORKER: string = 'graphile-worker'
