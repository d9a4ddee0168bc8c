import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../support/temporary-folder.ts'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const exec = promisify(execFile)

/** Runs a command. Returns its output. Throws with the output if it fails. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { stdout } = await exec(command, args, { cwd, env: { ...process.env, ...env } }).catch(
    (error: { message: string; stdout?: string }) => {
      throw new Error(`${error.message}\n${error.stdout ?? ''}`)
    },
  )
  return stdout
}

export interface PackedClient {
  readonly folder: string
  readonly archive: string
}

/** Builds and packs the client as for the npm registry. */
export async function packClient(): Promise<PackedClient> {
  const folder = join(temporaryFolder('client-'), 'package')
  await run(process.execPath, [join(ROOT, 'packages/client/build/package.ts'), folder], ROOT)
  const target = temporaryFolder('client-archive-')
  const name = await run('npm', ['pack', folder, '--silent', '--pack-destination', target], target)
  return { folder, archive: join(target, name.trim()) }
}

/** A new folder outside of the repository that has only the packed client. */
export async function emptyProject(
  { archive }: PackedClient,
  packages: readonly string[] = [],
): Promise<string> {
  const folder = temporaryFolder('project-')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--omit=peer']
  await run('npm', ['install', ...options, archive, ...packages], folder)
  return folder
}

/** An empty folder with the files of an example, the packed client and its other packages. */
export async function exampleProject(client: PackedClient, example: string): Promise<string> {
  const source = join(ROOT, 'examples', example)
  const manifest = join(source, 'package.json')
  const { dependencies = {} } = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies?: Record<string, string> })
    : {}
  const others = Object.entries(dependencies).filter(([name]) => name !== '@agent-registry/client')
  const folder = await emptyProject(
    client,
    others.map(([name, version]) => `${name}@${version}`),
  )
  cpSync(source, folder, { recursive: true, filter: (path) => !path.endsWith('package.json') })
  return folder
}
