/** How data is read, and what is shown until it is there, after a failure, or without any. */
export { useLazy } from './lazy.tsx'
export { useDebounced, useKept, usePolling, useTyped, useVisible } from './polling.ts'
export { Loaded, useRead } from './read.tsx'
export { Empty, ErrorState, Loading } from './states.tsx'
