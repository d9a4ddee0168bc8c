import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AcceptedBreak, newBreaks } from './compatibility.ts'

/**
 * Compares schema.graphql with that of a commit: the argument, or HEAD, or the parent of HEAD if
 * the file equals HEAD. Exits with 1 if a change breaks clients and is not in
 * breaking-changes.json.
 */
const folder = import.meta.dirname
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

function committed(commit: string): string | null {
  try {
    return execFileSync('git', ['show', `${commit}:./schema.graphql`], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return null
  }
}

const after = read('schema.graphql')
const [named] = process.argv.slice(2)
const base = named ?? (committed('HEAD') === after ? 'HEAD~1' : 'HEAD')
const before = committed(base)
if (before === null) {
  process.stdout.write(`Cannot compare the schema: ${base} does not contain it\n`)
  if (named !== undefined) process.exitCode = 1
} else {
  const accepted = JSON.parse(read('breaking-changes.json')) as AcceptedBreak[]
  const breaks = newBreaks(before, after, accepted)
  for (const change of breaks) process.stderr.write(`${change}\n`)
  if (breaks.length > 0) {
    process.stderr.write(
      `These changes break clients of ${base}. Add intended changes to schema/breaking-changes.json, with a reason.\n`,
    )
    process.exitCode = 1
  } else process.stdout.write(`The schema is compatible with ${base}\n`)
}
