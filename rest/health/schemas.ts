import { Type } from 'typebox'
import { errors, Pubkey, Timestamp } from '../contract/shapes.ts'
import type { ExactInteger } from '../execute.ts'

const none = { querystring: Type.Object({}), tags: ['Service'] }

const Slot = (description?: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description, examples: [312_004_551] })
const spec = Type.String({ examples: ['W3C DID Core 1.0'] })
const enabled = Type.Boolean({ description: 'Whether this service offers it.' })

export const healthSchema = {
  ...none,
  operationId: 'getHealth',
  summary: 'Liveness',
  description: 'Answers as long as the process does; touches nothing else.',
  response: {
    200: Type.Object({ status: Type.String({ enum: ['ok'] }), timestamp: Timestamp() }),
    ...errors([400]),
  },
}

export const detailedHealthSchema = {
  ...none,
  operationId: 'getDetailedHealth',
  summary: 'What the service stands on',
  description:
    'Status 200 in any case: `degraded` says that the ledger, the database or the indexer does not answer, while the rest is served. For load balancers there is /ready.',
  response: {
    200: Type.Object({
      status: Type.String({ enum: ['healthy', 'degraded'] }),
      rpc: Type.Object({
        connected: Type.Boolean(),
        slot: Slot('Null while the RPC node does not answer.'),
      }),
      feePayer: Type.Object({
        enabled: Type.Boolean({ description: 'Whether fees are sponsored.' }),
        pubkey: Type.Unsafe<string | null>({
          ...Pubkey('Null without a fee payer.'),
          type: ['string', 'null'],
        }),
        balanceLamports: Type.Unsafe<ExactInteger | null>({
          type: ['integer', 'null'],
          description: 'Null while it cannot be read.',
          examples: [10_000_000_000],
        }),
        balanceSol: Type.Unsafe<number | null>({ type: ['number', 'null'], examples: [10] }),
      }),
      database: Type.Object({ connected: Type.Boolean() }),
      indexer: Type.Object({
        phase: Type.String({ examples: ['live'] }),
        cursorSlot: Slot('Everything up to this slot is in the tables.'),
        finalizedSlot: Slot(),
        lagSlots: Slot('Slots between the ledger’s tip and the tables.'),
        lagSeconds: Type.Unsafe<number | null>({
          type: ['number', 'null'],
          description: 'Seconds since the tables last held all that the node showed.',
          examples: [0.4],
        }),
        deadLetters: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'What could not be read from the ledger.',
          examples: [0],
        }),
        ready: Type.Boolean({ description: 'The tables were filled once.' }),
        healthy: Type.Boolean(),
      }),
      timestamp: Timestamp(),
    }),
    ...errors([400]),
  },
}

export const readySchema = {
  ...none,
  operationId: 'getReadiness',
  summary: 'Whether this replica should be sent requests',
  description: 'Ready when the database answers and the registry was read from the ledger once.',
  response: {
    200: Type.Object({ status: Type.String({ enum: ['ready'] }) }),
    ...errors([400], { 503: 'Not ready: the database does not answer' }),
  },
}

export const infoSchema = {
  ...none,
  operationId: 'getInfo',
  summary: 'What this service is',
  response: {
    200: Type.Object({
      name: Type.String({ examples: ['Agent Registry Gateway'] }),
      version: Type.String({ description: 'Semantic version.', examples: ['0.1.0'] }),
      program: Pubkey('The registry program.'),
      feeSponsorshipEnabled: Type.Boolean(),
      network: Type.String({ enum: ['mainnet-beta', 'devnet', 'testnet', 'localnet'] }),
      features: Type.Object({
        did: Type.Object({ enabled, method: Type.String({ examples: ['did:sol'] }), spec }),
        mcp: Type.Object({ enabled, endpoint: Type.String({ examples: ['/mcp/sse'] }), spec }),
        a2a: Type.Object({ enabled, spec }),
        credentials: Type.Object({ enabled, spec }),
      }),
    }),
    ...errors([400], { 503: 'The ledger RPC node is not available' }),
  },
}
