import { LOCALNET_RECEIVER, type ServiceInfo } from '../src/health/health-service.ts'
import { builder } from './builder.ts'
import { bool, nullable, objectType, of, pubkey, text } from './columns.ts'
import { enumType } from './enum-values.ts'

type Features = ServiceInfo['features']
const enabled = bool('Whether the feature is on.')

const DidFeatureRef = objectType<Features['did']>('DidFeature', 'Decentralized identifiers.', {
  enabled,
  method: text('DID method: `did:sol`.', 'did:sol'),
  spec: text('Specification of the DID Documents.', 'W3C DID Core 1.0'),
})

const McpFeatureRef = objectType<Features['mcp']>('McpFeature', 'The Model Context Protocol server.', {
  enabled,
  endpoint: text('Path of the endpoint, relative to the base URL.', '/mcp/sse'),
  spec: text('Protocol version.', 'W3C DID Core 1.0'),
})

const SpecFeatureRef = objectType<Features['a2a']>('SpecFeature', 'A feature with its specification.', {
  enabled,
  spec: text('Specification with its version.', 'W3C DID Core 1.0'),
})

const FeaturesRef = objectType<Features>('Features', 'Optional features of the service.', {
  did: of(DidFeatureRef, 'Decentralized identifiers.'),
  mcp: of(McpFeatureRef, 'Model Context Protocol.'),
  a2a: of(SpecFeatureRef, 'A2A agent cards.'),
  credentials: of(SpecFeatureRef, 'Verifiable credentials.'),
})

const NetworkType = enumType('Network', 'A cluster of Solana.', {
  'mainnet-beta': 'Mainnet.',
  devnet: 'Devnet.',
  testnet: 'Testnet.',
  localnet: 'Any other ledger.',
})

const InfoRef = objectType<ServiceInfo>('Info', 'Metadata of the service.', {
  name: text('Name of the service.', 'Agent Registry Gateway'),
  version: text('Semantic version.', '0.1.0'),
  program: pubkey('Address of the registry program.'),
  feeSponsorshipEnabled: bool('Whether the service sponsors registrations now.'),
  network: of(NetworkType, 'The cluster, determined by the genesis hash of the ledger.', 'mainnet-beta'),
  features: of(FeaturesRef, 'Optional features of the service.'),
  localnetReceiver: nullable(
    text('Path that accepts webhooks, for trying them out on a localnet. Null elsewhere.', LOCALNET_RECEIVER),
  ),
})

builder.queryField('info', (t) =>
  t.field({
    type: InfoRef,
    extensions: { errors: ['LEDGER_UNAVAILABLE'] },
    description: 'Metadata of the service.',
    resolve: (_, _args, { services }) => services.info.info(),
  }),
)
