import type { DetailedHealth, Health, Readiness } from '../src/service-info/health.ts'
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

builder.queryFields((t) => ({
  health: t.field({
    type: HealthRef,
    description: 'Touches nothing else.',
    resolve: (_, _args, { services }) => services.info.health(),
  }),
  detailedHealth: t.field({
    type: DetailedHealthRef,
    description: 'What the service stands on.',
    resolve: (_, _args, { services }) => services.info.detailedHealth(),
  }),
  readiness: t.field({
    type: ReadinessRef,
    description: 'Whether this replica should be sent requests.',
    resolve: (_, _args, { services }) => services.info.readiness(),
  }),
}))
