import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = globSync(['*.md', '{.github,docs,bench,ops,packages,rest,schema,src,test}/**/*.md'], {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
})

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function brokenLinks(page: string): string[] {
  const text = read(page).replaceAll(/```.*?```/gs, '')
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(ROOT, file))) return true
    return anchor !== undefined && !anchorsOf(file).includes(anchor)
  })
}

test.each(PAGES)('all links of %s lead to files and headings that exist', (page) => {
  expect(brokenLinks(page)).toEqual([])
})
