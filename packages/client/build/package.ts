import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
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

// The package has no dependencies: it contains the modules of packages/solana that it imports.
// Comments on what is exported are in the declarations.
for (const path of globSync('**/*.{js,d.ts}', { cwd: folder })) {
  const importOf = (name: string): string => relative(dirname(path), `solana/src/${name}.js`)
  const text = readFileSync(join(folder, path), 'utf8')
    .replaceAll(/@agent-registry\/solana\/(\w+)/g, (_, name: string) => importOf(name))
    .replaceAll(path.endsWith('.js') ? /^ *(\/\*\*[^]*?\*\/|\/\/ .*)\n/gm : '', '')
  writeFileSync(join(folder, path), text)
}

interface Manifest {
  exports: Record<string, string>
  [member: string]: unknown
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
// In the repository, imports lead to the sources.
const published = (source: string, extension: string): string =>
  source.replace('./', './client/').replace(/\.ts$/, extension)
const exports = Object.fromEntries(
  Object.entries(manifest.exports)
    .filter(([, source]) => source.startsWith('./src/'))
    .map(([name, source]) => [
      name,
      { types: published(source, '.d.ts'), default: published(source, '.js') },
    ]),
)
const omitted = new Set(['private', 'scripts', 'dependencies', 'devDependencies'])
const rest = Object.fromEntries(Object.entries(manifest).filter(([member]) => !omitted.has(member)))
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...rest, exports }, null, 2)}\n`)
copyFileSync(join(root, 'README.md'), join(folder, 'README.md'))
copyFileSync(join(root, '../../LICENSE'), join(folder, 'LICENSE'))
