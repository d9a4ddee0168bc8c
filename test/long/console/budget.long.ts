import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const DIST = fileURLToPath(new URL('../../../packages/console/dist/', import.meta.url))
const KB = 1_000

const html = readFileSync(join(DIST, 'index.html'), 'utf8')
const files = readdirSync(join(DIST, 'assets')).filter((name) => /\.(js|css)$/.test(name))
const sizeOf = (name: string): number => statSync(join(DIST, 'assets', `${name}.gz`)).size
const isFirst = (name: string): boolean => html.includes(name)

test('the first load has at most 60 kB, compressed by gzip', () => {
  const first = files.filter(isFirst)
  expect(first.length).toBeGreaterThanOrEqual(2)
  expect(first.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThan(60 * KB)
})

test('each other file has at most 40 kB, compressed by gzip', () => {
  const others = files.filter((name) => !isFirst(name))
  expect(others.length).toBeGreaterThan(5)
  expect(others.filter((name) => sizeOf(name) > 40 * KB)).toEqual([])
})
