import type { DetailedHealth, Health, Readiness } from '../src/health/health.ts'
import { builder } from './builder.ts'

const HealthRef = builder.objectRef<Health>('Health').implement({
  description: 'The process runs.',
  fields: (t) => ({
    status: t.exposeString('status', { description: 'Always `ok`.' }),
    timestamp: t.expose('timestamp', { description: 'When it was asked.', type: 'DateTime' }),
  }),
})

const RpcHealthRef = builder.objectRef<DetailedHealth['rpc']>('RpcHealth').implement({
  description: 'The ledger’s RPC node.',
  fields: (t) => ({
    connected: t.exposeBoolean('connected', { description: 'Whether it answers now.' }),
    slot: t.expose('slot', { type: 'Float', nullable: true, description: 'Null while not connected.' }),
  }),
})

const FeePayerHealthRef = builder.objectRef<DetailedHealth['feePayer']>('FeePayerHealth').implement({
  description: 'The account that pays sponsored registrations.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { description: 'Whether transactions are sponsored now.' }),
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
  description: 'The database as this process sees it.',
  fields: (t) => ({ connected: t.exposeBoolean('connected', { description: 'Whether it answers now.' }) }),
})

const IndexerHealthRef = builder.objectRef<DetailedHealth['indexer']>('IndexerHealth').implement({
  description: 'How far the tables follow the ledger.',
  fields: (t) => ({
    phase: t.exposeString('phase', {
      description: 'What it does now: starting, standby, backfilling, live or stopped.',
    }),
    cursorSlot: t.expose('cursorSlot', {
      type: 'Float',
      nullable: true,
      description: 'Everything up to this slot is in the tables.',
    }),
    finalizedSlot: t.expose('finalizedSlot', {
      description:
        'Up to here everything was checked against the finalized ledger; null before the first time.',
      type: 'Float',
      nullable: true,
    }),
    lagSlots: t.expose('lagSlots', {
      type: 'Float',
      nullable: true,
      description: 'Slots between the ledger’s tip and the tables; null where the tip is not known.',
    }),
    lagSeconds: t.exposeFloat('lagSeconds', {
      nullable: true,
      description:
        'Seconds since the tables last held all that the node showed; where another process indexes, since it last wrote.',
    }),
    deadLetters: t.exposeInt('deadLetters', {
      nullable: true,
      description:
        'What could not be read from the ledger: cut logs, unknown or damaged data, dropped history.',
    }),
    ready: t.exposeBoolean('ready', { description: 'The tables were filled once.' }),
    healthy: t.exposeBoolean('healthy', { description: 'Whether the tables follow the ledger.' }),
  }),
})

const DetailedHealthRef = builder.objectRef<DetailedHealth>('DetailedHealth').implement({
  description: 'What the service stands on, part by part.',
  fields: (t) => ({
    status: t.exposeString('status', {
      description: '`healthy`, or `degraded` while the ledger, the database or the indexer does not answer.',
    }),
    rpc: t.expose('rpc', { description: 'The node of the ledger.', type: RpcHealthRef }),
    feePayer: t.expose('feePayer', {
      description: 'The account that pays for sponsored transactions.',
      type: FeePayerHealthRef,
    }),
    database: t.expose('database', { description: 'The database.', type: DatabaseHealthRef }),
    indexer: t.expose('indexer', {
      description: 'What reads the ledger into the tables.',
      type: IndexerHealthRef,
    }),
    timestamp: t.expose('timestamp', { description: 'When this was found.', type: 'DateTime' }),
  }),
})

const ReadinessRef = builder.objectRef<Readiness>('Readiness').implement({
  description: 'Whether requests should be sent here.',
  fields: (t) => ({
    ready: t.exposeBoolean('ready', { description: 'True where nothing is missing.' }),
    missing: t.exposeStringList('missing', { description: 'What is missing, in words.' }),
  }),
})

builder.queryFields((t) => ({
  health: t.field({
    type: HealthRef,
    description: 'Touches nothing else.',
    extensions: { rateLimit: null },
    resolve: (_, _args, { services }) => services.info.health(),
  }),
  detailedHealth: t.field({
    type: DetailedHealthRef,
    description: 'What the service stands on.',
    resolve: (_, _args, { services }) => services.info.detailedHealth(),
  }),
  readiness: t.field({
    type: ReadinessRef,
    extensions: { rateLimit: null },
    description: 'Whether this replica should be sent requests.',
    resolve: (_, _args, { services }) => services.info.readiness(),
  }),
}))
