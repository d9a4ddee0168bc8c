import type { DetailedHealth, Health, Readiness } from '../src/service-info/health.ts'
import type { ServiceInfo } from '../src/service-info/info.ts'
import { builder } from './builder.ts'

const HealthRef = builder.objectRef<Health>('Health').implement({
  description: 'The process runs.',
  fields: (t) => ({
    status: t.exposeString('status', { description: 'Always `ok`.' }),
    timestamp: t.expose('timestamp', { type: 'DateTime' }),
  }),
})

const RpcHealthRef = builder.objectRef<DetailedHealth['rpc']>('RpcHealth').implement({
  description: 'The ledger’s RPC node.',
  fields: (t) => ({
    connected: t.exposeBoolean('connected'),
    slot: t.expose('slot', { type: 'Float', nullable: true, description: 'Null while not connected.' }),
  }),
})

const FeePayerHealthRef = builder.objectRef<DetailedHealth['feePayer']>('FeePayerHealth').implement({
  description: 'The account that pays sponsored registrations.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled'),
    pubkey: t.expose('pubkey', { type: 'Pubkey', nullable: true, description: 'Null without fee payer.' }),
    balanceLamports: t.expose('balanceLamports', {
      type: 'U64',
      nullable: true,
      description: 'Null while it cannot be read.',
    }),
    balanceSol: t.exposeFloat('balanceSol', { nullable: true, description: 'Lamports / 10^9.' }),
  }),
})

const DatabaseHealthRef = builder.objectRef<DetailedHealth['database']>('DatabaseHealth').implement({
  fields: (t) => ({ connected: t.exposeBoolean('connected') }),
})

const IndexerHealthRef = builder.objectRef<DetailedHealth['indexer']>('IndexerHealth').implement({
  description: 'How far the tables follow the ledger.',
  fields: (t) => ({
    phase: t.exposeString('phase'),
    cursorSlot: t.expose('cursorSlot', {
      type: 'Float',
      nullable: true,
      description: 'Everything up to this slot is in the tables.',
    }),
    finalizedSlot: t.expose('finalizedSlot', { type: 'Float', nullable: true }),
    lagSlots: t.expose('lagSlots', {
      type: 'Float',
      nullable: true,
      description: 'Slots between the ledger’s tip and the tables; null where the tip is not known.',
    }),
    ready: t.exposeBoolean('ready', { description: 'The tables were filled once.' }),
    healthy: t.exposeBoolean('healthy'),
  }),
})

const DetailedHealthRef = builder.objectRef<DetailedHealth>('DetailedHealth').implement({
  fields: (t) => ({
    status: t.exposeString('status', {
      description: '`healthy`, or `degraded` while the ledger, the database or the indexer does not answer.',
    }),
    rpc: t.expose('rpc', { type: RpcHealthRef }),
    feePayer: t.expose('feePayer', { type: FeePayerHealthRef }),
    database: t.expose('database', { type: DatabaseHealthRef }),
    indexer: t.expose('indexer', { type: IndexerHealthRef }),
    timestamp: t.expose('timestamp', { type: 'DateTime' }),
  }),
})

const ReadinessRef = builder.objectRef<Readiness>('Readiness').implement({
  fields: (t) => ({
    ready: t.exposeBoolean('ready'),
    missing: t.exposeStringList('missing', { description: 'What is missing, in words.' }),
  }),
})

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

builder.queryFields((t) => ({
  health: t.field({ type: HealthRef, resolve: (_, _args, { services }) => services.info.health() }),
  detailedHealth: t.field({
    type: DetailedHealthRef,
    resolve: (_, _args, { services }) => services.info.detailedHealth(),
  }),
  readiness: t.field({
    type: ReadinessRef,
    description: 'Whether this replica should be sent requests.',
    resolve: (_, _args, { services }) => services.info.readiness(),
  }),
  info: t.field({
    type: InfoRef,
    description: 'Error LEDGER_UNAVAILABLE while the network is not known.',
    resolve: (_, _args, { services }) => services.info.info(),
  }),
}))
