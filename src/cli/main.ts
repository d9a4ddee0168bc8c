import { enableCompileCache } from 'node:module'

// From the second run on, the compiled code is cached: a command starts three times faster.
enableCompileCache()
const { runProgram } = await import('./program.ts')
await runProgram()
