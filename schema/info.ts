import type { ServiceInfo } from '../src/service-info/info.ts'
import { builder } from './builder.ts'

type Features = ServiceInfo['features']
const enabled = { description: 'Whether this service offers it.' }

const DidFeatureRef = builder.objectRef<Features['did']>('DidFeature').implement({
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', enabled),
    method: t.exposeString('method'),
    spec: t.exposeString('spec'),
  }),
})

const McpFeatureRef = builder.objectRef<Features['mcp']>('McpFeature').implement({
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', enabled),
    endpoint: t.exposeString('endpoint', { description: 'Path below the base address.' }),
    spec: t.exposeString('spec'),
  }),
})

const SpecFeatureRef = builder.objectRef<Features['a2a']>('SpecFeature').implement({
  fields: (t) => ({ enabled: t.exposeBoolean('enabled', enabled), spec: t.exposeString('spec') }),
})

const FeaturesRef = builder.objectRef<Features>('Features').implement({
  fields: (t) => ({
    did: t.expose('did', { type: DidFeatureRef }),
    mcp: t.expose('mcp', { type: McpFeatureRef }),
    a2a: t.expose('a2a', { type: SpecFeatureRef }),
    credentials: t.expose('credentials', { type: SpecFeatureRef }),
  }),
})

const InfoRef = builder.objectRef<ServiceInfo>('Info').implement({
  description: 'What this service is.',
  fields: (t) => ({
    name: t.exposeString('name'),
    version: t.exposeString('version', { description: 'Semantic version.' }),
    program: t.expose('program', { type: 'Pubkey', description: 'The registry program.' }),
    feeSponsorshipEnabled: t.exposeBoolean('feeSponsorshipEnabled'),
    network: t.exposeString('network', {
      description: 'mainnet-beta, devnet, testnet or localnet, by the ledger’s genesis hash.',
    }),
    features: t.expose('features', { type: FeaturesRef }),
  }),
})

builder.queryField('info', (t) =>
  t.field({
    type: InfoRef,
    description: 'What this service is. Error LEDGER_UNAVAILABLE while the network is not known.',
    resolve: (_, _args, { services }) => services.info.info(),
  }),
)
