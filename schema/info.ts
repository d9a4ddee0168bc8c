import type { ServiceInfo } from '../src/health/info.ts'
import { NETWORKS } from '../src/domain/network.ts'
import { example } from './policy.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'

type Features = ServiceInfo['features']
const enabled = { description: 'Whether the feature is on.' }

const DidFeatureRef = builder.objectRef<Features['did']>('DidFeature').implement({
  description: 'Decentralized identifiers.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', enabled),
    method: t.exposeString('method', { ...example('did:sol'), description: 'DID method: `did:sol`.' }),
    spec: t.exposeString('spec', {
      ...example('W3C DID Core 1.0'),
      description: 'Specification of the DID Documents.',
    }),
  }),
})

const McpFeatureRef = builder.objectRef<Features['mcp']>('McpFeature').implement({
  description: 'The Model Context Protocol server.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', enabled),
    endpoint: t.exposeString('endpoint', {
      ...example('/mcp/sse'),
      description: 'Path of the endpoint, relative to the base URL.',
    }),
    spec: t.exposeString('spec', { ...example('W3C DID Core 1.0'), description: 'Protocol version.' }),
  }),
})

const SpecFeatureRef = builder.objectRef<Features['a2a']>('SpecFeature').implement({
  description: 'A feature with its specification.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', enabled),
    spec: t.exposeString('spec', {
      ...example('W3C DID Core 1.0'),
      description: 'Specification with its version.',
    }),
  }),
})

const FeaturesRef = builder.objectRef<Features>('Features').implement({
  description: 'Optional features of the service.',
  fields: (t) => ({
    did: t.expose('did', { description: 'Decentralized identifiers.', type: DidFeatureRef }),
    mcp: t.expose('mcp', { description: 'Model Context Protocol.', type: McpFeatureRef }),
    a2a: t.expose('a2a', { description: 'A2A agent cards.', type: SpecFeatureRef }),
    credentials: t.expose('credentials', { description: 'Verifiable credentials.', type: SpecFeatureRef }),
  }),
})

const NetworkType = builder.enumType('Network', {
  description: 'A cluster of Solana.',
  values: enumValues(NETWORKS, {
    'mainnet-beta': 'Mainnet.',
    devnet: 'Devnet.',
    testnet: 'Testnet.',
    localnet: 'Any other ledger.',
  }),
})

const InfoRef = builder.objectRef<ServiceInfo>('Info').implement({
  description: 'Metadata of the service.',
  fields: (t) => ({
    name: t.exposeString('name', {
      ...example('Agent Registry Gateway'),
      description: 'Name of the service.',
    }),
    version: t.exposeString('version', { ...example('0.1.0'), description: 'Semantic version.' }),
    program: t.expose('program', { type: 'Pubkey', description: 'Address of the registry program.' }),
    feeSponsorshipEnabled: t.exposeBoolean('feeSponsorshipEnabled', {
      description: 'Whether the service sponsors registrations now.',
    }),
    network: t.expose('network', {
      ...example('mainnet-beta'),
      type: NetworkType,
      description: 'The cluster, determined by the genesis hash of the ledger.',
    }),
    features: t.expose('features', { description: 'Optional features of the service.', type: FeaturesRef }),
  }),
})

builder.queryField('info', (t) =>
  t.field({
    type: InfoRef,
    extensions: { errors: ['LEDGER_UNAVAILABLE'] },
    description: 'Metadata of the service.',
    resolve: (_, _args, { services }) => services.info.info(),
  }),
)
