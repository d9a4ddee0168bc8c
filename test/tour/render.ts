import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInShell, tourSteps } from './readme.ts'

// `npm run tour` on a gateway freshly started with npm start: runs the README's tour and writes what it printed into it.
const README = fileURLToPath(new URL('../../README.md', import.meta.url))
const WIDTH = 120

let text = readFileSync(README, 'utf8')
const steps = tourSteps(text)
const cwd = fileURLToPath(new URL('../..', import.meta.url))
let i = 0
// The same command may come twice.
let from = text.indexOf('## Five-minute tour')
for await (const { command, printed, code } of runInShell(
  steps.map((step) => step.command),
  { cwd, env: process.env },
)) {
  if (code !== 0) throw new Error(`exit code ${code} of: ${command}\n${printed}`)
  const before = steps[i++]?.printed ?? ''
  const block = (output: string): string =>
    `    $ ${command}\n${output === '' ? '' : `${output.split('\n').map(indent).join('\n')}\n`}`
  const found = block(before)
  const at = text.indexOf(found, from)
  if (at < 0) throw new Error(`not found as it was read: ${command}`)
  const rendered = block(printed.split('\n').flatMap(wrapped).join('\n'))
  text = text.slice(0, at) + rendered + text.slice(at + found.length)
  from = at + rendered.length
}
writeFileSync(README, text)

function indent(line: string): string {
  return line === '' ? '' : `    ${line}`
}

/** At commas and spaces, where a line of JSON is longer than a page is wide. */
function wrapped(line: string): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > WIDTH) {
    const cut = Math.max(rest.lastIndexOf(',', WIDTH - 1) + 1, rest.lastIndexOf(' ', WIDTH - 1) + 1)
    const at = cut > 40 ? cut : WIDTH
    lines.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at)
  }
  return [...lines, rest]
}
