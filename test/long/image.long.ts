import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readFile, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { scaled } from '../support/machine-speed.ts'

const root = join(import.meta.dirname, '../..')
/** The ignore list of the image leaves them out too. */
const NOT_COPIED = new Set(['node_modules', 'dist', 'test'])

/** What a stage of the image copies from the build context. */
async function sourcesOf(stage: string): Promise<string[]> {
  const dockerfile = await readFile(join(root, 'ops/Dockerfile'), 'utf8')
  const body = dockerfile.split(/^FROM /m).find((each) => each.includes(` AS ${stage}\n`)) ?? ''
  return [...body.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '))
}

test(
  'the console builds from the files that its stage of the image copies',
  { timeout: scaled(60_000) },
  async () => {
    const ignored = await readFile(join(root, 'ops/Dockerfile.dockerignore'), 'utf8')
    const sources = await sourcesOf('console')
    const stage = temporaryFolder('image-')
    onTestFinished(() => rm(stage, { recursive: true }))
    for (const source of sources) {
      expect(ignored.split('\n')).toContain(`!${source}`)
      const filter = (path: string): boolean => !NOT_COPIED.has(basename(path))
      await cp(join(root, source), join(stage, source), { recursive: true, filter })
    }
    await symlink(join(root, 'node_modules'), join(stage, 'node_modules'))
    await promisify(execFile)('node', ['build.mjs'], { cwd: join(stage, 'packages/console') })
    expect(existsSync(join(stage, 'packages/console/dist/index.html'))).toBe(true)
  },
)
