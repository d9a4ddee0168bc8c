import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runApiProcess } = await import('./run-api-process.ts')
runApiProcess()
