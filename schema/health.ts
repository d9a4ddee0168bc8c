import { AGENT_LIMITS, type AgentLimits } from '../src/domain/agent-limits.ts'
import type { DetailedHealth, Health, Readiness } from '../src/health/health.ts'
import { builder } from './builder.ts'
import {
  bool,
  float,
  int,
  list,
  nullable,
  objectType,
  of,
  pubkey,
  safeInt,
  text,
  time,
  u64,
} from './columns.ts'
import { enumType } from './enum-values.ts'
import { LOCALNET_RECEIVER, type ServiceInfo } from '../src/health/health-service.ts'

const HealthRef = objectType<Health>('Health', 'Liveness of the process.', {
  status: text('Always `ok`.', 'ok', { enum: ['ok'] }),
  timestamp: time('Time of this response.'),
})

const RpcHealthRef = objectType<DetailedHealth['rpc']>('RpcHealth', 'The RPC node of the ledger.', {
  connected: bool('Whether the node responds.'),
  slot: nullable(safeInt('Latest slot. Null if not connected.', 312_004_551)),
})

const FeePayerHealthRef = objectType<DetailedHealth['feePayer']>(
  'FeePayerHealth',
  'The account that pays for sponsored transactions.',
  {
    enabled: bool('Whether the service sponsors transactions now.'),
    pubkey: nullable(pubkey('Public key. Null without a fee payer.')),
    balanceLamports: nullable(u64('Balance in lamports. Null if it cannot be read.', 10_000_000_000)),
    balanceSol: nullable(float('Balance in SOL. Null if it cannot be read.', 10)),
  },
)

const DatabaseHealthRef = objectType<DetailedHealth['database']>(
  'DatabaseHealth',
  'The database connection of this process.',
  {
    connected: bool('Whether the database responds.'),
  },
)

const IndexerPhaseType = enumType('IndexerPhase', 'What an indexer does now.', {
  starting: 'Starts.',
  standby: 'Another process indexes.',
  backfilling: 'Reads what it missed.',
  live: 'Follows the ledger.',
  stopped: 'Has stopped.',
  off: 'This process has no indexer.',
  unknown: 'The database does not answer.',
})

const HealthStatusType = enumType('HealthStatus', 'Whether the service works.', {
  healthy: 'All parts work.',
  degraded: 'The ledger, the database or the indexer does not work.',
})

const IndexerHealthRef = objectType<DetailedHealth['indexer']>(
  'IndexerHealth',
  'The indexer, which copies the ledger into the tables.',
  {
    phase: of(IndexerPhaseType, 'Current phase of the indexer in this process.', 'live'),
    cursorSlot: nullable(safeInt('The tables contain everything up to this slot.')),
    finalizedSlot: nullable(
      safeInt(
        'The tables were compared with the finalized ledger up to this slot. Null before the first comparison.',
      ),
    ),
    lagSlots: nullable(
      safeInt(
        'Slots between the newest slot of the ledger and the tables. Null if the newest slot is unknown.',
      ),
    ),
    lagSeconds: nullable(
      float(
        'Age of the tables: seconds since they last contained everything that the node returned. If another process runs the indexer, it stores this every few seconds.',
        0.4,
      ),
    ),
    deadLetters: nullable(int('Number of ledger records that could not be decoded or fetched.', 0)),
    ready: bool('Whether the tables have been filled once.'),
    healthy: bool('Whether the tables are up to date.'),
  },
)

const DetailedHealthRef = objectType<DetailedHealth>(
  'DetailedHealth',
  'Health of the service and its dependencies.',
  {
    status: of(HealthStatusType, 'Whether all parts work.', 'healthy'),
    reasons: list(text('What does not work, as texts. Empty if all parts work.'), {
      shown: ['no ledger node responds'],
    }),
    rpc: of(RpcHealthRef, 'The RPC node of the ledger.'),
    feePayer: of(FeePayerHealthRef, 'The account that pays for sponsored transactions.'),
    database: of(DatabaseHealthRef, 'The database.'),
    indexer: of(IndexerHealthRef, 'The indexer.'),
    timestamp: time('Time of this response.'),
  },
)

const ReadinessRef = objectType<Readiness>('Readiness', 'Readiness of this replica.', {
  ready: bool('Whether the replica can receive requests.'),
  missing: list(text('What is missing, as texts. Empty if ready.')),
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

const AgentLimitsRef = objectType<AgentLimits>(
  'AgentLimits',
  'What the registry program accepts of an agent. Lengths are in bytes of UTF-8.',
  {
    nameBytes: int('Longest name.', AGENT_LIMITS.nameBytes),
    versionBytes: int('Longest version.', AGENT_LIMITS.versionBytes),
    cardUrlBytes: int('Longest URL of an agent card.', AGENT_LIMITS.cardUrlBytes),
    cardUrlSchemes: list(text('Schemes of the URL of an agent card.'), {
      shown: AGENT_LIMITS.cardUrlSchemes,
    }),
    cardHashDigits: int('Hex digits of the hash of an agent card.', AGENT_LIMITS.cardHashDigits),
  },
)

builder.objectField(InfoRef, 'agentLimits', (t) =>
  t.field({
    type: AgentLimitsRef,
    description: 'What the registry program accepts of an agent.',
    resolve: () => AGENT_LIMITS,
  }),
)

builder.queryField('info', (t) =>
  t.field({
    type: InfoRef,
    extensions: { errors: ['LEDGER_UNAVAILABLE'] },
    description: 'Metadata of the service.',
    resolve: (_, _args, { services }) => services.info.info(),
  }),
)
