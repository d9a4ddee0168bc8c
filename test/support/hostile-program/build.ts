import { writeFileSync } from 'node:fs'
import { compile } from '../../../packages/registry-program/build/compile.ts'
import { link } from '../../../packages/registry-program/build/linker/link.ts'

const HERE = new URL('./', import.meta.url)

export const HOSTILE_FILE = new URL('hostile.so', HERE)

export function buildHostileProgram(): Buffer {
  return link(compile(HERE, 'hostile.c'))
}

if (import.meta.main) writeFileSync(HOSTILE_FILE, buildHostileProgram())
