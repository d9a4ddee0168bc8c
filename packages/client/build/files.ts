import { readFileSync } from 'node:fs'
import { apiModule, exactMembersModule } from './api.ts'
import { programModule } from './program.ts'

const IDL = new URL('../../registry-program/idl.json', import.meta.url)
const FOLDER = 'packages/client/src/generated'

/** The generated files of the package: types of the REST operations, and builders from the IDL. */
export function clientFiles(openApi: unknown): Record<string, string> {
  return {
    [`${FOLDER}/api.ts`]: apiModule(openApi),
    [`${FOLDER}/exact-members.ts`]: exactMembersModule(openApi),
    [`${FOLDER}/program.ts`]: programModule(JSON.parse(readFileSync(IDL, 'utf8'))),
  }
}
