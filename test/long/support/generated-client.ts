import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { apiModule, exactMembersModule } from '@agent-registry/client/generator'

const SOURCES = fileURLToPath(new URL('.', import.meta.resolve('@agent-registry/client')))

interface Input {
  readonly path?: object
  readonly query?: object
}

/** Generates the client as `npm run codegen` does, and calls the gateway at `url` with it. */
export async function generateClient(openApi: unknown, url: string) {
  // Below node_modules, so that linters and watchers ignore it.
  const parent = fileURLToPath(new URL('../../../node_modules/.cache/generated-clients', import.meta.url))
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'client-'))
  const source = join(folder, 'src')
  cpSync(SOURCES, source, { recursive: true })
  writeFileSync(join(source, 'generated/api.ts'), apiModule(openApi))
  writeFileSync(join(source, 'generated/exact-members.ts'), exactMembersModule(openApi))
  const { createRegistry } = (await import(pathToFileURL(join(source, 'index.ts')).href)) as {
    createRegistry: (
      url: string,
      options: object,
    ) => {
      call: (operationId: string, input: Input) => Promise<unknown>
    }
  }
  const { call } = createRegistry(url, { retries: 0 })
  const lines = [`import type { Operations } from './src/generated/api.ts'`]
  return {
    call,
    /** Remembers a result, to compile it against the type of its operation. */
    keep: (id: string, result: unknown) =>
      void lines.push(`export const r${lines.length}: Operations['${id}']['response'] = ${sourceOf(result)}`),
    /** Fails if a result does not have its type. */
    compile: () => {
      writeFileSync(join(folder, 'results.ts'), lines.join('\n'))
      const compiler = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(
        /package\.json$/,
        'bin/tsc',
      )
      const options =
        '--noEmit --skipLibCheck --strict --target es2022 --allowImportingTsExtensions --ignoreConfig'
      const args = [compiler, ...options.split(' '), 'results.ts']
      const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
      expect(stdout).toBe('')
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
export type GeneratedClient = Awaited<ReturnType<typeof generateClient>>

function sourceOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `[${value.map(sourceOf).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${sourceOf(each)}`)
  return `{ ${members.join(', ')} }`
}
