import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type PageContent,
  sendFile,
  sendPage,
  servePageFiles,
  SESSION_TOKEN,
  type StaticFile,
  writePage,
} from '../plugins/static-files.ts'
import { guidePages } from './guides.ts'

/** The page has inline styles. Its scripts are files. */
const POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'"

/** The script has 1.7 MB. */
const FILE_UNITS = 5

/**
 * A plugin. To open an operation, Swagger UI resolves the references of the whole document, which
 * takes 1 to 2 s. This gives it the operation and the schemas that it needs.
 */
const RESOLVE_A_PART = `{
  afterLoad({ fn: { resolveSubtree } }) {
    this.fn.resolveSubtree = (document, path, options) => {
      const { paths, webhooks, components, ...part } = document
      const [kind, name, key] = path
      const schemas = {}
      const addSchema = (key) => {
        if (key in schemas) return
        schemas[key] = components.schemas[key]
        addReferences(schemas[key])
      }
      const addReferences = (value) => {
        const found = JSON.stringify(value ?? null).matchAll(/"#[/]components[/]schemas[/]([^"]+)"/g)
        for (const [, key] of found) addSchema(key)
      }
      part.paths = {}
      part.components = {}
      part[kind] = { [name]: document[kind]?.[name] }
      part.components.schemas = schemas
      if (name === 'schemas') addSchema(key)
      else addReferences(document[kind]?.[name])
      return resolveSubtree(part, path, options)
    }
  },
}`

/**
 * A plugin. By itself, Swagger UI compares only tags and paths, and never the webhooks. While
 * somebody searches, the groups found are open.
 */
const SEARCH = `{
  fn: {
    opsFilter: (tags, text) =>
      tags
        .map((group, tag) => group.update('operations', (all) => all.filter((each) => isFound(text, tag, each.toObject()))))
        .filter((group) => group.get('operations').size > 0),
  },
  wrapComponents: {
    OperationTag: (Original, { React }) => ({ layoutSelectors, ...rest }) => {
      const selectors = searched(layoutSelectors) ? { ...layoutSelectors, isShown: () => true } : layoutSelectors
      return React.createElement(Original, { ...rest, layoutSelectors: selectors })
    },
    Webhooks: (Original, { React, layoutSelectors }) => ({ specSelectors, ...rest }) => {
      const text = searched(layoutSelectors)
      const found = Object.entries(specSelectors.selectWebhooksOperations() ?? {})
        .map(([name, all]) => [name, all.filter((each) => isFound(text, 'webhooks', each))])
        .filter(([, all]) => all.length > 0)
      const selectors = { ...specSelectors, selectWebhooksOperations: () => Object.fromEntries(found) }
      return React.createElement(Original, { ...rest, specSelectors: selectors })
    },
  },
}`

/** Runs after the script of Swagger UI. */
const START = `
const searched = ({ currentFilter }) => (currentFilter() === true ? '' : currentFilter() || '')
const isFound = (text, tag, { path, method, operation }) => {
  const names = ['operationId', 'summary', 'description'].map((name) => operation.get(name))
  const all = [tag, method, path, ...names].join(' ').toLowerCase()
  return text.toLowerCase().split(' ').every((word) => all.includes(word))
}
const dark = matchMedia('(prefers-color-scheme: dark)')
const setTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', setTheme)
setTheme()
const ui = SwaggerUIBundle({
  url: new URL('../json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  plugins: [${SEARCH}, ${RESOLVE_A_PART}],
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => {
    document.querySelector('.operation-filter-input').placeholder = 'Search by words, such as "send transaction"'
    const token = ${SESSION_TOKEN}
    if (token !== undefined) ui.preauthorizeApiKey('session', token)
  },
})
`

/** Fits the page to narrow screens. */
const STYLE = `
html { box-sizing: border-box; overflow-y: scroll }
*, *::before, *::after { box-sizing: inherit }
body { margin: 0 }
html:not(.dark-mode) { background: #fafafa }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 8px }
  .swagger-ui .info { margin: 16px 0 }
  .swagger-ui .info .title small { top: 0 }
  .swagger-ui, .swagger-ui .opblock-summary-path, .swagger-ui .markdown { overflow-wrap: anywhere }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
  .swagger-ui .opblock .opblock-summary-method { min-width: 64px; padding: 6px 4px }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: 4px 0 }
  .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; min-height: 0 }
  .swagger-ui .opblock-body pre, .swagger-ui .highlight-code { max-width: 100%; overflow-x: auto }
  .swagger-ui .table-container { padding: 8px 0; overflow-x: auto }
  .swagger-ui table.parameters, .swagger-ui table.parameters > thead, .swagger-ui table.parameters > tbody,
  .swagger-ui table.parameters > tbody > tr, .swagger-ui table.parameters > tbody > tr > td,
  .swagger-ui table.responses-table > tbody > tr, .swagger-ui table.responses-table > tbody > tr > td {
    display: block; width: 100%; max-width: 100%; box-sizing: border-box
  }
  .swagger-ui table.parameters > thead, .swagger-ui table.responses-table > thead { display: none }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select,
  .swagger-ui select, .swagger-ui textarea, .swagger-ui input { max-width: 100% !important; width: 100% }
  .swagger-ui input[type='checkbox'], .swagger-ui input[type='radio'] { width: auto }
  .swagger-ui .scheme-container .schemes { flex-wrap: wrap }
  .swagger-ui .model-box, .swagger-ui section.models { max-width: 100%; overflow-x: auto }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: 94% }
}
`

async function load(): Promise<PageContent> {
  const read = (name: string) =>
    readFile(new URL(import.meta.resolve(`@fastify/swagger-ui/static/${name}`)), 'utf8')
  return {
    style: (await read('swagger-ui.css')) + STYLE,
    script: (await read('swagger-ui-bundle.js')) + START,
  }
}

const BODY = '<body><div id="swagger-ui"></div>'

/** Serves Swagger UI at /docs. `writeDocument` returns the OpenAPI document for it. */
export function docsPage(app: FastifyInstance, writeDocument: () => Promise<StaticFile>): void {
  const names = servePageFiles(app, '/docs/static/', { units: FILE_UNITS, load })
  // Relative, because a proxy may serve the gateway below another path.
  const send = (folder: string) => async (request: FastifyRequest, reply: FastifyReply) =>
    sendPage(request, reply, { html: writePage(await names(), folder, BODY), policy: POLICY })
  guidePages(app)
  const options = { schema: { hide: true }, config: { priority: 'file' as const } }
  app.get('/docs', options, send('docs/static/'))
  app.get('/docs/', options, send('static/'))
  app.get('/docs/json', { schema: { hide: true } }, async (request, reply) =>
    sendFile(request, reply, await writeDocument()),
  )
}
