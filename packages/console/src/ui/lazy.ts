import { useEffect, useState } from 'react'

/**
 * Loads code by `import()` into state. Null until it is there. React holds content back for 300 ms
 * after a Suspense fallback, so the console has no Suspense. `load` must not change.
 */
export function useLazy<Module>(load: () => Promise<Module>): Module | null {
  const [loaded, setLoaded] = useState<{ module: Module; load: () => Promise<Module> } | null>(null)
  useEffect(() => {
    let isCurrent = true
    void load().then(
      (module) => isCurrent && setLoaded({ module, load }),
      // `vite:preloadError` reloads the page.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [load])
  return loaded?.load === load ? loaded.module : null
}
