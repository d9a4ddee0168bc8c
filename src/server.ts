import { enableCompileCache } from 'node:module'

// From the second start on the sources are not compiled again: importing takes about a third of the time.
enableCompileCache()
const { runServer } = await import('./gateway/run-server.ts')
await runServer()
