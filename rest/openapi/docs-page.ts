import swaggerUi from '@fastify/swagger-ui'
import type { RestApp } from '../rest-app.ts'

/** The page has inline styles. Its scripts are files. */
const POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'"

/** The largest file of the page has 1.7 MB. */
const FILE_UNITS = 5

const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">'

/** Hides the bar that opens documents of other services. Fits the page to narrow screens. */
const STYLE = `
.swagger-ui .topbar { display: none }
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

/** Serves Swagger UI at /docs. `writeDocument` returns the OpenAPI document for it. */
export async function docsPage(app: RestApp, writeDocument: () => Promise<Buffer>): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs/static/'))
      route.config = { ...route.config, units: FILE_UNITS, priority: 'file' }
    if (route.url === '/docs/json')
      route.handler = async (_, reply) =>
        reply.type('application/json; charset=utf-8').send(await writeDocument())
    // The page of the package has no viewport, so phones would show it as on a wide screen.
    if (route.url === '/docs/' || route.url === '/docs') {
      route.config = { ...route.config, priority: 'file' }
      route.onSend = (_request, _reply, payload, done) =>
        done(null, typeof payload === 'string' ? payload.replace('<head>', `<head>\n${VIEWPORT}`) : payload)
    }
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // The default policy of the package allows fonts and styles from any https URL.
    staticCSP: POLICY,
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true },
    theme: { title: 'Agent Registry Gateway', css: [{ filename: 'page.css', content: STYLE }] },
  })
}
