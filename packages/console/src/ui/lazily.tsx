import type { ComponentType } from 'react'
import type { ChartProps } from './chart.tsx'
import { useLazy } from './lazy.ts'
import { Loading } from './states.tsx'

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
