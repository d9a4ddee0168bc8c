import packageJson from '../../package.json' with { type: 'json' }
import { webhooksSection } from './webhooks.ts'

const DESCRIPTION = `Read agents that are registered on a Solana ledger, their stakes and their history. Prepare and send transactions. Subscribe to events with webhooks.

Lists are paginated with \`limit\` (1 to 200, default 50) and \`offset\`. \`total\` is the exact number of matching entries.
A parameter or a member of a body that is unknown, repeated, malformed or out of range is refused with status 400 and a text that names it.
Every error has the body \`Error\`, also an unknown path (404), another method (405), a request that takes too long to arrive (408), an unknown \`Expect\` (417) and headers that are too large (431).
The same data is available at \`/graphql\`.`

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
    'Ed25519 signature of the UTF-8 text `service-auth:<pubkey>:<timestamp>:<METHOD>:<path>`, in base-58. The path has no query. A signature can be used again within its time, from the client network of its first use (IPv4 address or IPv6 /64).',
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

/** `guide`: a file in `docs/guides`, which the service serves. */
const tag = (name: string, guide: string, description: string) => ({ name, description, guide })

const TAGS = [
  tag('Agents', 'rest', 'Registered agents and their history.'),
  tag('Authentication', 'sessions', 'Sessions of wallets, for clients that sign in once.'),
  tag('Stakes', 'register-an-agent', 'Stake accounts of agents, in USDC.'),
  tag('DID', 'credentials', 'Decentralized identifiers of agents.'),
  tag('Credentials', 'credentials', 'W3C Verifiable Credentials of agents.'),
  tag('Relay', 'register-an-agent', 'Transactions that the service builds and sends, and that clients sign.'),
  tag('Sponsorship', 'sponsored-registration', 'Registrations that the service pays for.'),
  tag('Webhooks', 'receive-webhooks', 'Signed notifications of events, sent to your receivers.'),
  tag('Events', 'receive-webhooks', 'The requests that receivers get.'),
  tag('Service', 'monitoring', 'Health and metadata.'),
]

/** The parts of the document that do not come from routes. Without a URL, paths are relative. */
export function documentInfo(baseUrl: string | null) {
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'Agent Registry Gateway',
      version: packageJson.version,
      description: DESCRIPTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl ?? '/' }],
    // Operations that need authentication say so themselves.
    security: [],
    components: { securitySchemes: { ...WALLET_HEADERS, session: SESSION } },
    tags: TAGS.map(({ name, guide, description }) => ({
      name,
      // Not externalDocs, whose URL must be absolute.
      description: `${description} [Guide](${(baseUrl ?? '').replace(/\/+$/, '')}/docs/guides/${guide}.md)`,
    })),
    webhooks: webhooksSection() as never,
  }
}
