import { writeFileSync } from 'node:fs'
import { registryIdl } from '../src/idl.ts'
import { buildProgram } from './compile.ts'
import { headerFromIdl } from './header.ts'

const SOURCES = new URL('../program/', import.meta.url)

writeFileSync(new URL('idl.h', SOURCES), headerFromIdl(registryIdl))
const program = buildProgram(SOURCES)
writeFileSync(new URL('../registry.so', import.meta.url), program)
process.stdout.write(`registry.so: ${program.length} bytes\n`)
