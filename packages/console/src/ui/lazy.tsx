import { type ComponentType, useEffect, useState } from 'react'
import type { ChartProps } from './chart.tsx'
import { Loading } from './states.tsx'

export class ChunkError extends Error {
  override readonly message = 'A part of the console could not be loaded.'
}

/** A page that was shown before is there at once, so that the browser can return to its place. */
const known = new WeakMap<object, unknown>()

/**
 * Loads code by `import()` into state. Null until it is there. Throws a ChunkError if it does not
 * load. `load` must not change.
 */
export function useLazy<Module>(load: () => Promise<Module>): Module | null {
  const [loaded, setLoaded] = useState(() => known.get(load) as Module | undefined)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    const set = (module: Module): void => {
      known.set(load, module)
      setLoaded(() => module)
    }
    load().then(set, () => setFailed(true))
  }, [load])
  if (hasFailed && loaded === undefined) throw new ChunkError()
  return loaded ?? null
}

/** A component whose code is loaded when it is shown. Until it is there, rows are in its place. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  label: string,
  rows: number,
): ComponentType<Props> {
  return function Lazy(props) {
    const Loaded = useLazy(load)
    return Loaded === null ? <Loading rows={rows} label={label} /> : <Loaded {...props} />
  }
}

export const Chart = lazily<ChartProps>(
  async () => (await import('./chart.tsx')).default,
  'Loading the chart',
  4,
)
