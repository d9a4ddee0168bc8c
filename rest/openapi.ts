import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { RestApp } from './rest-app.ts'

export interface OpenApiOptions {
  readonly version: string
  /** Public address of the service; null where it is not known, for paths relative to the document. */
  readonly baseUrl: string | null
}

const DESCRIPTION = `Agents registered on a Solana ledger, their stakes and their history, and a relay for transactions.

Lists are pages: \`limit\` 1 to 200, default 50, and \`offset\`; \`total\` counts all that match, exactly.
Parameters that are unknown, repeated, malformed or out of range are refused with status 400 and a text that names them.
The same data is at \`/graphql\`, where agents reach their stake and history.`

/** The page has inline styles; its scripts are files. */
const DOCS_POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'"

const header = (name: string, description: string) => ({
  type: 'apiKey' as const,
  in: 'header' as const,
  name,
  description,
})

/** All three together; what is signed is `service-auth:<pubkey>:<timestamp>:<METHOD>:<path>`. */
const WALLET_HEADERS = {
  WalletPubkey: header('X-Wallet-Pubkey', 'The wallet: base-58 of 32 bytes.'),
  WalletSignature: header(
    'X-Wallet-Signature',
    'Base-58 of the Ed25519 signature of the UTF-8 bytes of `service-auth:<pubkey>:<timestamp>:<METHOD>:<path>`, path without query. Each is taken once.',
  ),
  WalletTimestamp: header(
    'X-Wallet-Timestamp',
    'Unix time in seconds, as in the message, at most 60 s from now.',
  ),
}

/** Collects the routes registered after it into /openapi.json (OpenAPI 3.1), and shows them at /docs. */
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
      components: { securitySchemes: WALLET_HEADERS },
      tags: [
        { name: 'Agents', description: 'Registered agents and what happened to them.' },
        { name: 'Stakes', description: 'USDC that agents put at stake.' },
        { name: 'DID', description: 'Decentralized identifiers of agents.' },
        { name: 'Credentials', description: 'W3C Verifiable Credentials of agents.' },
        { name: 'Relay', description: 'Transactions built here, signed by clients, and sent from here.' },
        { name: 'Sponsorship', description: 'Registrations that the service pays for.' },
        { name: 'Webhooks', description: 'Signed notifications of events to your own receivers.' },
        { name: 'Service', description: 'Health and metadata.' },
      ],
    },
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, i) => (typeof $id === 'string' ? $id : `schema-${i}`),
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // The package's own policy allows fonts and styles from any https address; this one allows none from elsewhere.
    staticCSP: DOCS_POLICY,
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true },
    theme: {
      title: 'Agent Registry Gateway',
      // The bar is for opening documents of other services.
      css: [{ filename: 'page.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  })
  let document: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })
}
