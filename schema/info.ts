import type { ServiceInfo } from '../src/health/info.ts'
import { builder } from './builder.ts'

type Features = ServiceInfo['features']
const enabled = { description: 'Whether this service offers it.' }

const DidFeatureRef = builder.objectRef<Features['did']>('DidFeature').implement({
  description: 'Decentralized identifiers.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', enabled),
    method: t.exposeString('method', { description: 'did:sol, the method of the identifiers.' }),
    spec: t.exposeString('spec', { description: 'The specification that documents follow.' }),
  }),
})

const McpFeatureRef = builder.objectRef<Features['mcp']>('McpFeature').implement({
  description: 'The Model Context Protocol server.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', enabled),
    endpoint: t.exposeString('endpoint', { description: 'Path below the base address.' }),
    spec: t.exposeString('spec', { description: 'Version of the protocol.' }),
  }),
})

const SpecFeatureRef = builder.objectRef<Features['a2a']>('SpecFeature').implement({
  description: 'A feature and the specification that it follows.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', enabled),
    spec: t.exposeString('spec', { description: 'The specification with its version.' }),
  }),
})

const FeaturesRef = builder.objectRef<Features>('Features').implement({
  description: 'What the service can do beside the registry itself.',
  fields: (t) => ({
    did: t.expose('did', { description: 'Decentralized identifiers.', type: DidFeatureRef }),
    mcp: t.expose('mcp', { description: 'Tools for AI agents.', type: McpFeatureRef }),
    a2a: t.expose('a2a', { description: 'Agent cards.', type: SpecFeatureRef }),
    credentials: t.expose('credentials', { description: 'Verifiable credentials.', type: SpecFeatureRef }),
  }),
})

const InfoRef = builder.objectRef<ServiceInfo>('Info').implement({
  description: 'What this service is.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the service.' }),
    version: t.exposeString('version', { description: 'Semantic version.' }),
    program: t.expose('program', { type: 'Pubkey', description: 'The registry program.' }),
    feeSponsorshipEnabled: t.exposeBoolean('feeSponsorshipEnabled', {
      description: 'Whether the service pays for registrations now.',
    }),
    network: t.exposeString('network', {
      description: 'mainnet-beta, devnet, testnet or localnet, by the ledger’s genesis hash.',
    }),
    features: t.expose('features', { description: 'What else the service can do.', type: FeaturesRef }),
  }),
})

builder.queryField('info', (t) =>
  t.field({
    type: InfoRef,
    description: 'What this service is. Error LEDGER_UNAVAILABLE while the network is not known.',
    resolve: (_, _args, { services }) => services.info.info(),
  }),
)
