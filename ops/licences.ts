import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Licences that do not reach beyond the package itself. */
const ACCEPTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  // Of the library's own files: used unmodified, as a package that can be exchanged.
  'LGPL-3.0-only',
  'MIT',
  // Of the library's own files, as above: a build tool of the console.
  'MPL-2.0',
  // Of the bundled typeface. It may be embedded, but not sold alone.
  'OFL-1.1',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
])
/** Read in the LICENSE files of packages that declare none. */
const READ: Record<string, string> = { 'text-encoding-utf-8@1.0.2': 'Unlicense' }
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILE = `${ROOT}ops/licences.md`

interface Locked {
  version: string
  resolved?: string
  integrity?: string
  dev?: boolean
  link?: boolean
  optional?: boolean
  license?: string
  hasInstallScript?: boolean
}

export interface Dependency {
  name: string
  version: string
  licence: string
  /** Left out of the image. */
  optional: boolean
  installScript: boolean
  /** The lock file holds a hash of its archive. */
  pinned: boolean
}

/** What production installs, by name. */
export function productionDependencies(): Dependency[] {
  const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as {
    packages: Record<string, Locked>
  }
  return (
    Object.entries(packages)
      // The workspaces are this repository's own.
      .filter(
        ([path, { dev, link }]) => /^node_modules|\/node_modules/.test(path) && link !== true && dev !== true,
      )
      .map(([path, locked]) => ({
        name: path.replace(/^.*node_modules\//, ''),
        version: locked.version,
        licence: locked.license ?? licenceOf(path, locked.version),
        optional: locked.optional === true,
        installScript: locked.hasInstallScript === true,
        pinned: locked.integrity !== undefined,
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1))
  )
}

/** Not accepted, or not known. Of `A OR B` one must be accepted, of `A AND B` both. */
export function objectionable({ licence }: Pick<Dependency, 'licence'>): boolean {
  const choices = licence.replace(/[()]/g, '').split(' OR ')
  return !choices.some((choice) => choice.split(' AND ').every((each) => ACCEPTED.has(each)))
}

export function licencesPage(dependencies: readonly Dependency[]): string {
  const counts = new Map<string, number>()
  for (const { licence } of dependencies) counts.set(licence, (counts.get(licence) ?? 0) + 1)
  const rows = dependencies.map(
    ({ name, version, licence, optional, installScript }) =>
      `| ${name} | ${version} | ${licence} | ${[optional && 'optional', installScript && 'install script, not run'].filter(Boolean).join(', ')} |`,
  )
  return `# Licences of the production dependencies

Written by \`node ops/licences.ts\` from package-lock.json; a test compares. What the image has is held to the hash
in the lock file. The image runs no install script. Optional packages (the embedded PostgreSQL, the virtual machine of the localnet) are not in it.

${[...counts]
  .toSorted(([, a], [, b]) => b - a)
  .map(([licence, count]) => `- ${licence}: ${count}`)
  .join('\n')}

| Package | Version | Licence | |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

function licenceOf(path: string, version: string): string {
  const known = READ[`${path.replace(/^.*node_modules\//, '')}@${version}`]
  if (known !== undefined) return known
  try {
    const { license, licenses } = JSON.parse(readFileSync(`${ROOT}${path}/package.json`, 'utf8')) as {
      license?: string
      licenses?: (string | { type: string })[]
    }
    const several = licenses?.map((each) => (typeof each === 'string' ? each : each.type))
    return license ?? several?.join(' OR ') ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dependencies = productionDependencies()
  writeFileSync(FILE, licencesPage(dependencies))
  const refused = dependencies.filter(objectionable)
  for (const { name, version, licence } of refused) process.stderr.write(`${name} ${version}: ${licence}\n`)
  process.stdout.write(`${dependencies.length} packages, ${refused.length} to look at\n`)
  process.exitCode = refused.length === 0 ? 0 : 1
}
