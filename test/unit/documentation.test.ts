import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = globSync(
  '{,docs/**/,ops/,bench/,examples/,src/**/,rest/**/,schema/,packages/*/,.github/}*.md',
  {
    cwd: ROOT,
  },
)
  .filter((page) => !page.includes('node_modules'))
  .map((page) => join(ROOT, page))

const withoutCode = (text: string): string => text.replaceAll(/^ *```.*?^ *```$/gms, '')

/** The anchors of a page, as GitHub derives them from its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = withoutCode(readFileSync(page, 'utf8')).matchAll(/^#+ (.*)$/gm)
  return new Set(
    Array.from(headings, ([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

test('CONTRIBUTING.md names every file that has to know a new event type, and no number of a migration', () => {
  const sources = globSync('{src,rest,schema,docs/build}/**/*.ts', { cwd: ROOT })
  const lists = sources.filter((file) =>
    readFileSync(join(ROOT, file), 'utf8').includes("'stake.withdrawal_cancelled'"),
  )
  const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  expect(lists.length).toBeGreaterThan(2)
  expect(lists.filter((file) => !guide.includes(`\`${file}\``))).toEqual([])
  // The number of an example would soon be that of a released migration.
  expect(guide).not.toMatch(/migrations\/\d/)
})

test('README.md is one page with two commands', () => {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  expect(Buffer.byteLength(text)).toBeGreaterThan(6_000)
  expect(Buffer.byteLength(text)).toBeLessThan(8_192)
  const commands = Array.from(text.matchAll(/^```sh\n(.*?)\n```$/gms), ([, each]) => each)
  expect(commands).toEqual(['npm install && npm start', 'npm install && npm test'])
})

test('every relative link of the documentation leads to a file, and to a heading if it names one', () => {
  const links = PAGES.flatMap((page) =>
    Array.from(withoutCode(readFileSync(page, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => ({
      page,
      link,
    })),
  ).filter(({ link }) => !/^(https?|mailto):/.test(link))
  expect(links.length).toBeGreaterThan(100)
  const broken = links.filter(({ page, link }) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(target)) return true
    return anchor !== undefined && statSync(target).isFile() && !anchorsOf(target).has(anchor)
  })
  expect(broken.map(({ page, link }) => `${relative(ROOT, page)}: ${link}`)).toEqual([])
})
