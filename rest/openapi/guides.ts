import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { Marked } from 'marked'
import { pathNotFound } from '../contract/request-checks.ts'
import { sendPage } from '../plugins/static-files.ts'

const FOLDER = new URL('../../docs/guides/', import.meta.url)
const FILES = readdirSync(FOLDER)
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
const STYLE = `
  :root { color-scheme: light dark }
  body { max-width: 46rem; margin: 0 auto; padding: 1rem; font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
  pre, table { display: block; overflow-x: auto }
  pre { padding: 0.75rem; border: 1px solid #8884; border-radius: 6px }
  code { font: 0.875em ui-monospace, monospace }
  table { border-collapse: collapse }
  th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #8884; text-align: start; vertical-align: top }`

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .replaceAll(/\s/g, '-')

const marked = new Marked({
  renderer: {
    heading({ tokens, text, depth }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`
    },
    image: ({ text }) => text,
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      const [file = ''] = href.split('#', 1)
      // Other documents and the pictures are in the repository only.
      const isServed = href.startsWith('#') || /^https?:/.test(href) || FILES.includes(file)
      return isServed ? `<a href="${href}">${text}</a>` : text
    },
  },
})

const pageOf = (markdown: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${/^# (.*)$/m.exec(markdown)?.[1] ?? 'Guide'} – Agent Registry Gateway</title>
    <link rel="icon" href="data:," />
    <style>${STYLE}</style>
  </head>
  <body>
    <p><a href="../">API reference</a></p>
    <main>${marked.parse(markdown, { async: false })}</main>
  </body>
</html>
`

/** Serves the guides of the repository, for the links of the API reference. */
export function guidePages(app: FastifyInstance): void {
  const pages = new Map<string, string>()
  app.get<{ Params: { file: string } }>(
    '/docs/guides/:file',
    { schema: { hide: true }, config: { priority: 'file' } },
    async (request, reply) => {
      const { file } = request.params
      if (!FILES.includes(file)) throw pathNotFound(request)
      const html = pages.get(file) ?? pageOf(readFileSync(new URL(file, FOLDER), 'utf8'))
      pages.set(file, html)
      return sendPage(request, reply, { html, policy: POLICY })
    },
  )
}
