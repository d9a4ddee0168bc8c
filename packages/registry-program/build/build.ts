import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { compile, hasCompiler } from './compile.ts'
import { headerFromIdl } from './header.ts'
import { link } from './linker/link.ts'

const IDL = new URL('idl.json', import.meta.url)
const HEADER = new URL('src/idl.h', import.meta.url)
const SOURCES = new URL('src/', import.meta.url)
const PROGRAM = new URL('registry.so', import.meta.url)

const say = (text: string): boolean => process.stdout.write(`${text}\n`)

function build(): void {
  writeFileSync(HEADER, headerFromIdl(IDL))
  const program = link(compile(SOURCES))
  writeFileSync(PROGRAM, program)
  say(`program/registry.so: ${program.length} bytes`)
}

function check(): void {
  if (readFileSync(HEADER, 'utf8') !== headerFromIdl(IDL))
    fail('program/src/idl.h does not match program/idl.json')
  else if (!existsSync(PROGRAM)) fail('program/registry.so is missing')
  else if (!link(compile(SOURCES)).equals(readFileSync(PROGRAM)))
    fail('program/registry.so is not what the source gives')
  else say('program/registry.so is what the source gives')
}

function fail(problem: string): void {
  process.stderr.write(`${problem}; run \`npm run program:build\`\n`)
  process.exitCode = 1
}

const checking = process.argv.includes('--check')
if (hasCompiler()) {
  if (checking) check()
  else build()
} else {
  process.stderr.write(
    `clang-19 is not installed${checking ? ': program/registry.so was not checked' : ''}\n`,
  )
  process.exitCode = checking ? 0 : 1
}
