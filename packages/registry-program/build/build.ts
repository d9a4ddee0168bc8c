import { readFileSync, writeFileSync } from 'node:fs'
import { buildProgram, hasCompiler } from './compile.ts'
import { headerFromIdl } from './header.ts'
import { registryIdl } from '../src/idl.ts'

const SOURCES = new URL('../program/', import.meta.url)
const HEADER = new URL('idl.h', SOURCES)
const PROGRAM = new URL('../registry.so', import.meta.url)

const checkOnly = process.argv.includes('--check')
if (!hasCompiler()) {
  process.stderr.write(`clang-19 is not installed${checkOnly ? ': registry.so was not checked' : ''}\n`)
  process.exitCode = checkOnly ? 0 : 1
} else if (checkOnly) check()
else build()

function build(): void {
  writeFileSync(HEADER, headerFromIdl(registryIdl))
  const program = buildProgram(SOURCES)
  writeFileSync(PROGRAM, program)
  process.stdout.write(`registry.so: ${program.length} bytes\n`)
}

function check(): void {
  const header = readFileSync(HEADER, 'utf8')
  if (header === headerFromIdl(registryIdl) && buildProgram(SOURCES).equals(readFileSync(PROGRAM))) {
    process.stdout.write('registry.so matches its sources\n')
    return
  }
  process.stderr.write(
    'program/idl.h or registry.so does not match the sources; run `npm run program:build`\n',
  )
  process.exitCode = 1
}
