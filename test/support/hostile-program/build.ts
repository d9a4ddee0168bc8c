import { writeFileSync } from 'node:fs'
import { buildProgram } from '@agent-registry/program/build'

const HERE = new URL('./', import.meta.url)

export const HOSTILE_FILE = new URL('hostile.so', HERE)

export function buildHostileProgram(): Buffer {
  return buildProgram(HERE, 'hostile.c')
}

if (import.meta.main) writeFileSync(HOSTILE_FILE, buildHostileProgram())
