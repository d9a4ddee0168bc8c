import { readFileSync } from 'node:fs'

export function readGuide(name: string): string {
  return readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8')
}

export function codeBlockOf(guide: string, language: string): string {
  const code = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(guide)?.[1]
  if (code === undefined) throw new Error(`The guide has no code block in ${language}`)
  return code
}
