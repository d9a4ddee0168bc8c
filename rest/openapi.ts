import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { RestApp } from './rest-app.ts'

export interface OpenApiOptions {
  readonly version: string
  /** Public URL of the service. Null if unknown; paths are then relative to the document. */
  readonly baseUrl: string | null
}

const DESCRIPTION = `Read agents that are registered on a Solana ledger, their stakes and their history. Prepare and send transactions. Subscribe to events with webhooks.

Lists are paginated with \`limit\` (1 to 200, default 50) and \`offset\`. \`total\` is the exact number of matching entries.
A parameter or a member of a body that is unknown, repeated, malformed or out of range is refused with status 400 and a text that names it.
The same data is available at \`/graphql\`.`

/** The page has inline styles. Its scripts are files. */
const DOCS_POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'"

/** The largest file of the page has 1.7 MB. */
const PAGE_FILE_UNITS = 5

const header = (name: string, description: string) => ({
  type: 'apiKey' as const,
  in: 'header' as const,
  name,
  description,
})

/**
 * A request needs all three. The signed text is
 * `service-auth:<pubkey>:<timestamp>:<METHOD>:<path>`.
 */
const WALLET_HEADERS = {
  WalletPubkey: header('X-Wallet-Pubkey', 'Public key of the wallet: 32 bytes in base-58.'),
  WalletSignature: header(
    'X-Wallet-Signature',
    'Ed25519 signature of the UTF-8 text `service-auth:<pubkey>:<timestamp>:<METHOD>:<path>`, in base-58. The path has no query. Each signature is valid for one request.',
  ),
  WalletTimestamp: header(
    'X-Wallet-Timestamp',
    'Unix time in seconds, the same value as in the signed text. It may differ from the current time by at most 60 s.',
  ),
}

const SESSION = {
  type: 'http' as const,
  scheme: 'bearer',
  description:
    'The token of a session (`POST /auth/session`), for browsers and other clients that cannot sign each request. Wallet headers are used in place of it if a request has both.',
}

/**
 * Describes the routes that are registered after it in /openapi.json (OpenAPI 3.1) and at /docs.
 */
export async function describeRoutes(app: RestApp, { version, baseUrl }: OpenApiOptions): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Agent Registry Gateway',
        version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl ?? '/' }],
      components: { securitySchemes: { ...WALLET_HEADERS, session: SESSION } },
      tags: [
        { name: 'Agents', description: 'Registered agents and their history.' },
        { name: 'Authentication', description: 'Sessions of wallets, for clients that sign in once.' },
        { name: 'Stakes', description: 'Stake accounts of agents, in USDC.' },
        { name: 'DID', description: 'Decentralized identifiers of agents.' },
        { name: 'Credentials', description: 'W3C Verifiable Credentials of agents.' },
        {
          name: 'Relay',
          description: 'Transactions that the service builds and sends, and that clients sign.',
        },
        { name: 'Sponsorship', description: 'Registrations that the service pays for.' },
        { name: 'Webhooks', description: 'Signed notifications of events, sent to your receivers.' },
        { name: 'Service', description: 'Health and metadata.' },
      ],
    },
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, i) => (typeof $id === 'string' ? $id : `schema-${i}`),
    },
  })
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs/static/')) route.config = { ...route.config, units: PAGE_FILE_UNITS }
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // The default policy of the package allows fonts and styles from any https URL.
    staticCSP: DOCS_POLICY,
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true },
    theme: {
      title: 'Agent Registry Gateway',
      // Hides the bar that opens documents of other services.
      css: [{ filename: 'page.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  })
  let document: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })
}
