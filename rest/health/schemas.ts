import { Type } from 'typebox'
import { errors, named, Pubkey, Timestamp, uncountedErrors } from '../contract/shapes.ts'
import type { ExactInteger } from '../execute.ts'

/** Without a schema of the query string, unknown parameters are ignored: monitors send them. */
const anyQuery = { tags: ['Service'] }

const Slot = (description?: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description, examples: [312_004_551] })
const spec = Type.String({ examples: ['W3C DID Core 1.0'] })
const enabled = Type.Boolean({ description: 'Whether the feature is on.' })

export const healthSchema = {
  ...anyQuery,
  operationId: 'getHealth',
  summary: 'Check that the process runs',
  description: 'Uses neither the database nor the ledger.',
  response: {
    200: named(
      'Health',
      Type.Object(
        { status: Type.String({ enum: ['ok'] }), timestamp: Timestamp() },
        { description: 'The process runs.' },
      ),
    ),
    ...uncountedErrors([400]),
  },
}

export const detailedHealthSchema = {
  ...anyQuery,
  querystring: Type.Object({}),
  operationId: 'getDetailedHealth',
  summary: 'Check the service and its dependencies',
  description:
    'Always responds with 200. `degraded` means that the ledger, the registry on it, the database or the indexer does not work, as `reasons` says; other requests are still served. Load balancers should use GET /ready.',
  response: {
    200: named(
      'DetailedHealth',
      Type.Object(
        {
          status: Type.String({ enum: ['healthy', 'degraded'] }),
          reasons: Type.Array(Type.String({ examples: ['no ledger node responds'] }), {
            description: 'Why the status is `degraded`. Empty if it is `healthy`.',
          }),
          rpc: Type.Object({
            connected: Type.Boolean(),
            slot: Slot('Latest slot. Null if the RPC node does not respond.'),
          }),
          feePayer: Type.Object({
            enabled: Type.Boolean({ description: 'Whether the service sponsors transactions now.' }),
            pubkey: Type.Unsafe<string | null>({
              ...Pubkey('Public key. Null without a fee payer.'),
              type: ['string', 'null'],
            }),
            balanceLamports: Type.Unsafe<ExactInteger | null>({
              type: ['integer', 'null'],
              format: 'uint64',
              description: 'Balance in lamports. Null if it cannot be read.',
              examples: [10_000_000_000],
            }),
            balanceSol: Type.Unsafe<number | null>({ type: ['number', 'null'], examples: [10] }),
          }),
          database: Type.Object({ connected: Type.Boolean() }),
          indexer: Type.Object({
            phase: Type.String({ examples: ['live'] }),
            cursorSlot: Slot('The tables contain everything up to this slot, as `X-Registry-Slot` says.'),
            finalizedSlot: Slot('The tables were compared with the finalized ledger up to this slot.'),
            lagSlots: Slot('Slots between the newest slot of the ledger and the tables.'),
            lagSeconds: Type.Unsafe<number | null>({
              type: ['number', 'null'],
              description:
                'Age of the tables: seconds since they last contained everything that the node returned, as `X-Registry-Age` says.',
              examples: [0.4],
            }),
            deadLetters: Type.Unsafe<number | null>({
              type: ['integer', 'null'],
              description: 'Number of ledger records that could not be decoded or fetched.',
              examples: [0],
            }),
            ready: Type.Boolean({ description: 'Whether the tables have been filled once.' }),
            healthy: Type.Boolean({ description: 'Whether the tables are up to date.' }),
          }),
          timestamp: Timestamp(),
        },
        { description: 'Health of the service and its dependencies.' },
      ),
    ),
    ...uncountedErrors([400]),
  },
}

export const readySchema = {
  ...anyQuery,
  operationId: 'getReadiness',
  summary: 'Check that this replica can receive requests',
  description:
    'Ready if this process can do the work of its roles. For reads: the database answers, and the registry has been read from the ledger once. It does not matter whether a ledger node responds or a process reads it now: GET /health/detailed says that, and headers of reads say how old the tables are.',
  response: {
    200: named(
      'Readiness',
      Type.Object(
        { status: Type.String({ enum: ['ready'] }) },
        { description: 'The replica can receive requests.' },
      ),
    ),
    ...uncountedErrors([400], { 503: 'Not ready: the database does not answer' }),
  },
}

export const infoSchema = {
  ...anyQuery,
  operationId: 'getInfo',
  summary: 'Read the metadata of the service',
  description: 'The version, the program, the network, and the specifications that the service follows.',
  response: {
    200: named(
      'Info',
      Type.Object(
        {
          name: Type.String({ examples: ['Agent Registry Gateway'] }),
          version: Type.String({ description: 'Semantic version.', examples: ['0.1.0'] }),
          program: Pubkey('Address of the registry program.'),
          feeSponsorshipEnabled: Type.Boolean(),
          network: Type.String({ enum: ['mainnet-beta', 'devnet', 'testnet', 'localnet'] }),
          features: Type.Object({
            did: Type.Object({ enabled, method: Type.String({ examples: ['did:sol'] }), spec }),
            mcp: Type.Object({ enabled, endpoint: Type.String({ examples: ['/mcp/sse'] }), spec }),
            a2a: Type.Object({ enabled, spec }),
            credentials: Type.Object({ enabled, spec }),
          }),
        },
        { description: 'Metadata of the service.' },
      ),
    ),
    ...errors([400], { 503: 'The ledger RPC node is not available' }),
  },
}
