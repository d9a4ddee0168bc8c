import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// package.ts [FOLDER]: compiles the package and writes everything that is published to the folder
// (dist by default): JavaScript, declarations, package.json, README and LICENSE.
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = process.argv[2] ?? join(root, 'dist')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const compiler = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(
  /package\.json$/,
  'bin/tsc',
)
execFileSync(process.execPath, [compiler, '-p', root, '--outDir', folder], { stdio: 'inherit' })

interface Manifest {
  exports: Record<string, string>
  [member: string]: unknown
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
// In the repository, imports lead to the sources.
const published = (source: string, extension: string): string =>
  source.replace('./src/', './').replace(/\.ts$/, extension)
const exports = Object.fromEntries(
  Object.entries(manifest.exports)
    .filter(([, source]) => source.startsWith('./src/'))
    .map(([name, source]) => [
      name,
      { types: published(source, '.d.ts'), default: published(source, '.js') },
    ]),
)
const { private: _, scripts: _scripts, devDependencies: _development, ...rest } = manifest
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...rest, exports }, null, 2)}\n`)
copyFileSync(join(root, 'README.md'), join(folder, 'README.md'))
copyFileSync(join(root, '../../LICENSE'), join(folder, 'LICENSE'))
