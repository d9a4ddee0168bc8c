import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The hand-written TypeScript files that match, by their path from the root. */
export function sourceFiles(pattern: string): string[] {
  const files = globSync(pattern, { cwd: root, exclude: (path) => path.includes('node_modules') })
  return files.filter((file) => !file.includes('generated')).sort()
}

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

export const linesOf = (file: string): number => textOf(file).split('\n').length - 1

/** The imports of a file: packages by name, files by their path from the root. */
export function importsOf(file: string): string[] {
  const found = textOf(file).matchAll(/(?:\bfrom\s+|^import\s+|\bimport\(\s*)['"]([^'"\n]+)['"]/gm)
  return [...found].map(([, each = '']) =>
    each.startsWith('.') ? relative(root, join(root, dirname(file), each)) : each,
  )
}
