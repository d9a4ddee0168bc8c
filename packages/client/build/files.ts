import { readFileSync } from 'node:fs'
import { apiModule, exactMembersModule } from './api.ts'
import { programModule } from './program.ts'

const IDL = new URL('../../registry-program/idl.json', import.meta.url)
const FOLDER = 'packages/client/src/generated'

/** The builders of instructions. */
export function programFiles(): Record<string, string> {
  const idl = JSON.parse(readFileSync(IDL, 'utf8')) as unknown
  return { [`${FOLDER}/program.ts`]: programModule(idl) }
}

/** The types of the REST operations. */
export function apiFiles(openApi: unknown): Record<string, string> {
  return {
    [`${FOLDER}/api.ts`]: apiModule(openApi),
    [`${FOLDER}/exact-members.ts`]: exactMembersModule(openApi),
  }
}
