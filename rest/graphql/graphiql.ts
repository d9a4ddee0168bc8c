import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../plugins/read-headers.ts'
import {
  type PageContent,
  sendPage,
  servePageFiles,
  SESSION_TOKEN,
  writePage,
} from '../plugins/static-files.ts'
import { EXAMPLES } from './examples.ts'

/**
 * Browsers load nothing from other servers. The editor needs `eval` and starts its workers itself.
 */
const POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'self' 'unsafe-eval' blob:; worker-src blob:; " +
  "style-src 'self' 'unsafe-inline'; img-src data:; font-src 'self' data:; frame-ancestors 'none'"
const FILES = '/graphql/graphiql/'
/** The script has two megabytes, compressed. */
const FILE_UNITS = 20

/**
 * The editor reads the parameter `query` of its URL itself. It opens alone, with the parameter
 * `variables`. On a later visit, the editor adds an empty tab unless it is told the stored one.
 */
const GIVEN = `(options) => {
  const given = new URLSearchParams(location.search);
  if (given.get('query'))
    return { ...options, defaultTabs: undefined, variables: given.get('variables') || undefined };
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const { query, variables, headers } = tabs[activeTabIndex];
    return { ...options, query, variables, headers };
  } catch {
    return options;
  }
}`

/**
 * Requests without the header `authorization` use the session of this tab. The editor would store
 * its headers in localStorage. An operation in the URL gets the session only if our own page opened
 * it: strangers can write links too. Earlier pages stored the header `Bearer TOKEN`.
 */
const SEND = `{
  const send = globalThis.fetch;
  const isOurs = () => {
    if (!new URLSearchParams(location.search).has('query')) return true;
    try { return opener.location.origin === location.origin } catch { return false }
  };
  globalThis.fetch = (url, init) => {
    const headers = new Headers(init?.headers ?? (url instanceof Request ? url.headers : undefined));
    if (headers.get('authorization') === 'Bearer TOKEN') headers.delete('authorization');
    const token = isOurs() ? ${SESSION_TOKEN} : undefined;
    if (token !== undefined && !headers.has('authorization')) headers.set('authorization', 'Bearer ' + token);
    return send(url, { ...init, headers });
  };
}
`

/** The operation above its response. Side by side, lines would have one character. */
const ON_PHONES = `@media (max-width: 40rem) {
  #graphiql-session, .graphiql-session { flex-direction: column; }
  .graphiql-editors, .graphiql-response { flex: 1 1 0 !important; min-height: 0; width: auto !important; }
  .graphiql-horizontal-drag-bar, .graphiql-logo { display: none; }
}`

/** The package has one page of nine megabytes. */
async function load(): Promise<PageContent> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const defaultTabs = EXAMPLES.map((query) => ({ query }))
  const options = { title: 'Agent Registry Gateway', defaultTabs }
  const [json, given] = [JSON.stringify(options), GIVEN]
  const whole = renderGraphiQL(options).replace(json, () => `(${given})(${json})`)
  return {
    style: between(whole, '<style>', '</style>') + ON_PHONES,
    script: SEND + between(whole, '<script>', '</script>\n    </body>'),
  }
}

const BODY = '<body id="body" class="no-focus-outline"><div id="root"></div>'

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start)
  const to = text.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`the page of GraphiQL has no ${start}`)
  return text.slice(from + start.length, to)
}

export function wantsPage({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true
}

/** Registers the files of the page. Returns a handler that sends the page. */
export function graphiqlPage(app: FastifyInstance) {
  const names = servePageFiles(app, FILES, { units: FILE_UNITS, load })
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    addVary(reply, 'accept')
    return sendPage(request, reply, { html: writePage(await names(), FILES, BODY), policy: POLICY })
  }
}
