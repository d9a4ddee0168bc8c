/** How data is read, and what is shown until it is there, after a failure, or without any. */
export { useDebounced, useTyped } from './debounced.ts'
export { useLazy } from './lazy.ts'
export { useKept, usePolling, useVisible } from './polling.ts'
export { Loaded, useRead } from './read.tsx'
export { Empty, ErrorState, Loading } from './states.tsx'
