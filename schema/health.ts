import type { DetailedHealth, Health, Readiness } from '../src/health/health.ts'
import { INDEXER_PHASES } from '../src/ledger/indexer/status.ts'
import { example } from './policy.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'

const HealthRef = builder.objectRef<Health>('Health').implement({
  description: 'Liveness of the process.',
  fields: (t) => ({
    status: t.exposeString('status', { ...example('ok', { enum: ['ok'] }), description: 'Always `ok`.' }),
    timestamp: t.expose('timestamp', { description: 'Time of this response.', type: 'DateTime' }),
  }),
})

const RpcHealthRef = builder.objectRef<DetailedHealth['rpc']>('RpcHealth').implement({
  description: 'The RPC node of the ledger.',
  fields: (t) => ({
    connected: t.exposeBoolean('connected', { description: 'Whether the node responds.' }),
    slot: t.expose('slot', {
      ...example(312_004_551),
      type: 'SafeInt',
      nullable: true,
      description: 'Latest slot. Null if not connected.',
    }),
  }),
})

const FeePayerHealthRef = builder.objectRef<DetailedHealth['feePayer']>('FeePayerHealth').implement({
  description: 'The account that pays for sponsored transactions.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { description: 'Whether the service sponsors transactions now.' }),
    pubkey: t.expose('pubkey', {
      type: 'Pubkey',
      nullable: true,
      description: 'Public key. Null without a fee payer.',
    }),
    balanceLamports: t.expose('balanceLamports', {
      ...example(10_000_000_000),
      type: 'U64',
      nullable: true,
      description: 'Balance in lamports. Null if it cannot be read.',
    }),
    balanceSol: t.exposeFloat('balanceSol', {
      ...example(10),
      nullable: true,
      description: 'Balance in SOL. Null if it cannot be read.',
    }),
  }),
})

const DatabaseHealthRef = builder.objectRef<DetailedHealth['database']>('DatabaseHealth').implement({
  description: 'The database connection of this process.',
  fields: (t) => ({
    connected: t.exposeBoolean('connected', { description: 'Whether the database responds.' }),
  }),
})

const IndexerPhaseType = builder.enumType('IndexerPhase', {
  description: 'What an indexer does now.',
  values: enumValues([...INDEXER_PHASES, 'off', 'unknown'], {
    starting: 'Starts.',
    standby: 'Another process indexes.',
    backfilling: 'Reads what it missed.',
    live: 'Follows the ledger.',
    stopped: 'Has stopped.',
    off: 'This process has no indexer.',
    unknown: 'The database does not answer.',
  }),
})

const HealthStatusType = builder.enumType('HealthStatus', {
  description: 'Whether the service works.',
  values: enumValues(['healthy', 'degraded'], {
    healthy: 'All parts work.',
    degraded: 'The ledger, the database or the indexer does not work.',
  }),
})

const IndexerHealthRef = builder.objectRef<DetailedHealth['indexer']>('IndexerHealth').implement({
  description: 'The indexer, which copies the ledger into the tables.',
  fields: (t) => ({
    phase: t.expose('phase', {
      ...example('live'),
      type: IndexerPhaseType,
      description: 'Current phase of the indexer in this process.',
    }),
    cursorSlot: t.expose('cursorSlot', {
      type: 'SafeInt',
      nullable: true,
      description: 'The tables contain everything up to this slot.',
    }),
    finalizedSlot: t.expose('finalizedSlot', {
      description:
        'The tables were compared with the finalized ledger up to this slot. Null before the first comparison.',
      type: 'SafeInt',
      nullable: true,
    }),
    lagSlots: t.expose('lagSlots', {
      type: 'SafeInt',
      nullable: true,
      description:
        'Slots between the newest slot of the ledger and the tables. Null if the newest slot is unknown.',
    }),
    lagSeconds: t.exposeFloat('lagSeconds', {
      ...example(0.4),
      nullable: true,
      description:
        'Age of the tables: seconds since they last contained everything that the node returned. If another process runs the indexer, it stores this every few seconds.',
    }),
    deadLetters: t.exposeInt('deadLetters', {
      ...example(0),
      nullable: true,
      description: 'Number of ledger records that could not be decoded or fetched.',
    }),
    ready: t.exposeBoolean('ready', { description: 'Whether the tables have been filled once.' }),
    healthy: t.exposeBoolean('healthy', { description: 'Whether the tables are up to date.' }),
  }),
})

const DetailedHealthRef = builder.objectRef<DetailedHealth>('DetailedHealth').implement({
  description: 'Health of the service and its dependencies.',
  fields: (t) => ({
    status: t.expose('status', {
      ...example('healthy'),
      type: HealthStatusType,
      description: 'Whether all parts work.',
    }),
    reasons: t.exposeStringList('reasons', {
      ...example(['no ledger node responds']),
      description: 'What does not work, as texts. Empty if all parts work.',
    }),
    rpc: t.expose('rpc', { description: 'The RPC node of the ledger.', type: RpcHealthRef }),
    feePayer: t.expose('feePayer', {
      description: 'The account that pays for sponsored transactions.',
      type: FeePayerHealthRef,
    }),
    database: t.expose('database', { description: 'The database.', type: DatabaseHealthRef }),
    indexer: t.expose('indexer', {
      description: 'The indexer.',
      type: IndexerHealthRef,
    }),
    timestamp: t.expose('timestamp', { description: 'Time of this response.', type: 'DateTime' }),
  }),
})

const ReadinessRef = builder.objectRef<Readiness>('Readiness').implement({
  description: 'Readiness of this replica.',
  fields: (t) => ({
    ready: t.exposeBoolean('ready', { description: 'Whether the replica can receive requests.' }),
    missing: t.exposeStringList('missing', { description: 'What is missing, as texts. Empty if ready.' }),
  }),
})

builder.queryFields((t) => ({
  health: t.field({
    type: HealthRef,
    description: 'Liveness. Uses neither the database nor the ledger.',
    resolve: (_, _args, { services }) => services.info.health(),
  }),
  detailedHealth: t.field({
    type: DetailedHealthRef,
    description: 'Health of the service and its dependencies.',
    resolve: (_, _args, { services }) => services.info.detailedHealth(),
  }),
  readiness: t.field({
    extensions: { errors: ['NOT_READY'] },
    type: ReadinessRef,
    description: 'Readiness of this replica, for load balancers.',
    resolve: (_, _args, { services }) => services.info.readiness(),
  }),
}))
