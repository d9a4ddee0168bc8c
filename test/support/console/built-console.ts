import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { temporaryFolder } from '../temporary-folder.ts'

export const SCRIPT = 'console.log("a page")'

/** A built console: the page, and one script with its compressed form. */
export function builtConsole(): URL {
  const folder = temporaryFolder('console-')
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<head><base href="/console/" /></head><p>The page</p>')
  writeFileSync(join(folder, 'assets/index-1.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/index-1.js.gz'), gzipSync(SCRIPT))
  return pathToFileURL(`${folder}/`)
}
