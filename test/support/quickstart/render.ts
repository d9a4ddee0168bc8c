import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readSteps, runSteps } from './commands.ts'

// `npm run quickstart` needs a new gateway that runs (npm start). It runs the commands of both
// pages and writes their output.
const PAGES = ['../../../README.md', '../../../docs/quickstart.md']
const MAX_TEXT = 100

for (const page of PAGES) {
  const file = fileURLToPath(new URL(page, import.meta.url))
  const text = readFileSync(file, 'utf8')
  const steps = readSteps(text)
  const outputs = await Array.fromAsync(
    runSteps(
      steps.map(({ commands }) => commands),
      { shell: 'bash', cwd: fileURLToPath(new URL('../../..', import.meta.url)), env: process.env },
    ),
  )
  let rendered = text
  for (const [i, { span }] of [...steps.entries()].toReversed()) {
    if (span === null) continue
    rendered = rendered.slice(0, span[0]) + render(outputs[i] ?? '') + rendered.slice(span[1])
  }
  writeFileSync(file, rendered)
}

/** JSON on several lines, with long texts shortened. Other output as it is. */
function render(output: string): string {
  try {
    const shortened: unknown = JSON.parse(output, (_, value: unknown) =>
      typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value,
    )
    return `\n\`\`\`json\n${JSON.stringify(shortened, null, 2)}\n\`\`\`\n`
  } catch {
    return `\n\`\`\`text\n${output}\n\`\`\`\n`
  }
}
