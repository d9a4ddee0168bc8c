import { useEffect, useState } from 'react'

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
  const [loaded, setLoaded] = useState<{ module: Module | null; load: () => Promise<Module> } | null>(null)
  useEffect(() => {
    let isCurrent = true
    const set = (module: Module | null): void => {
      if (module !== null) known.set(load, module)
      if (isCurrent) setLoaded({ module, load })
    }
    void load().then(set, () => set(null))
    return () => {
      isCurrent = false
    }
  }, [load])
  if (loaded?.load !== load) return (known.get(load) as Module | undefined) ?? null
  if (loaded.module === null) throw new ChunkError()
  return loaded.module
}
