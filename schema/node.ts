import type { HistoryRow } from '../src/registry/agents/agent-history.ts'
import { type Pubkey, isPubkey } from '@agent-registry/solana'
import { DomainError, nullFor } from '../src/domain/errors.ts'
import { isUuid } from '../src/domain/uuid.ts'
import type { AttachedCredential } from '../src/identity/credentials/attached/credentials.ts'
import type { LiveEvent } from '../src/webhooks/live/live-event.ts'
import type { TransactionRecord } from '../src/transactions/transaction-store.ts'
import type { AgentRow, StakeRow } from '../src/registry/rows.ts'
import type { DeliveryRecord } from '../src/webhooks/deliveries.ts'
import type { SubscriptionRow } from '../src/webhooks/subscriptions.ts'
import { builder } from './builder.ts'
import { args, required } from './inputs.ts'
import { type Columns, id, list, objectType } from './columns.ts'
import type { GraphQLContext } from './context.ts'
import { eventTypeName } from './enum-values.ts'
import { quoted } from '../src/domain/quoted.ts'

type NodeRow =
  | AgentRow
  | StakeRow
  | AttachedCredential
  | LiveEvent
  | HistoryRow
  | TransactionRecord
  | SubscriptionRow
  | DeliveryRecord

const MAX_NODES = 100

function typeOf(row: NodeRow): string {
  if ('vcHash' in row) return 'Credential'
  if ('depositedAmount' in row) return 'Stake'
  if ('oldValue' in row) return 'AgentHistoryEntry'
  if ('data' in row) return eventTypeName(row.type)
  if ('preparedAt' in row) return 'Transaction'
  if ('eventTypes' in row) return 'Webhook'
  return 'attempts' in row ? 'WebhookDelivery' : 'Agent'
}

export const NodeRef = builder.interfaceRef<NodeRow>('Node').implement({
  description: 'An object with an identifier that is unique among all objects.',
  fields: (t) => ({
    id: t.id({
      description: 'Opaque identifier for `node` and for the caches of clients.',
      resolve: (row) => {
        if ('vcHash' in row) return nodeId('Credential', row.agentPda, row.vcHash)
        if ('depositedAmount' in row) return nodeId('Stake', row.pda)
        if ('oldValue' in row) return row.eventId
        return 'pda' in row ? nodeId('Agent', row.pda) : row.id
      },
    }),
  }),
  resolveType: typeOf,
})

/** An object type (columns.ts) that implements Node. */
export const nodeType = <Row extends NodeRow>(name: string, description: string, columns: Columns<Row>) =>
  objectType<Row>(name, description, columns, [NodeRef])

/** Null if it does not exist any more, or belongs to another wallet. Throws INVALID_NODE_ID. */
async function readNode(id: string, context: GraphQLContext): Promise<NodeRow | null> {
  const { loaders, services } = context
  if (id.startsWith('evt_')) return (await services.recentEvents.find(id)) ?? services.agents.historyEntry(id)
  if (isUuid(id))
    return (await nullFor('TRANSACTION_NOT_FOUND', services.transactions.get(id))) ?? findOwn(id, context)
  const { type, keys } = readNodeId(id)
  const [pda, vcHash] = keys
  if (type === 'Stake') return loaders.stakeByPda.load(pda)
  const agent = await loaders.agentByPda.load(pda)
  if (type === 'Agent' || agent === null) return agent
  const { credentials } = await loaders.credentialsByAgent({}).load(agent)
  return credentials.find((each) => each.vcHash === vcHash) ?? null
}

/** A webhook or a delivery of the caller. Null for a caller without a wallet. */
async function findOwn(
  id: string,
  context: GraphQLContext,
): Promise<SubscriptionRow | DeliveryRecord | null> {
  const known = wallets.get(context) ?? nullFor('AUTH_HEADERS_MISSING', context.authenticate())
  wallets.set(context, known)
  const wallet = await known
  return wallet === null ? null : context.services.webhooks.find(wallet, id)
}

/** Who sends an operation. Each authentication counts, and `nodes` needs it for many ids. */
const wallets = new WeakMap<GraphQLContext, Promise<Pubkey | null>>()

builder.queryFields((t) => ({
  node: t.field({
    extensions: { errors: ['INVALID_NODE_ID'] },
    type: NodeRef,
    nullable: true,
    description:
      'Returns an object by its `id`. Null if it does not exist any more, or belongs to a wallet that did not sign the request.',
    args: args({ id: required(id('The `id` of an object.')) }),
    resolve: (_, { id }, context) => readNode(id, context),
  }),
  nodes: t.field({
    extensions: { units: ({ ids }) => (Array.isArray(ids) ? ids.length : 1), errors: ['INVALID_NODE_ID'] },
    type: [NodeRef],
    nullable: { list: false, items: true },
    description: `Returns objects by their \`id\`, in the same order. At most ${MAX_NODES}. Each costs one unit.`,
    args: args({ ids: required(list(id('The `id` of each object.'))) }),
    resolve: (_, { ids }, context) => {
      if (ids.length > MAX_NODES)
        throw new DomainError('INVALID_REQUEST', { problem: `ids must contain at most ${MAX_NODES} values` })
      // A wrong id is an error of its own.
      return ids.map((id) => readNode(id, context))
    },
  }),
}))

/** What follows the address in the id of each type. */
const TYPES = { Agent: /^$/, Stake: /^$/, Credential: /^[0-9a-f]{64}$/ } as const
export type NodeType = keyof typeof TYPES

const MAX_ID = 250

/** The id of an object: its type and its keys, encoded so that clients treat it as opaque. */
export function nodeId(type: NodeType, pda: string, vcHash = ''): string {
  return Buffer.from([type, pda, vcHash].join(':')).toString('base64url')
}

/** Throws INVALID_NODE_ID unless `nodeId` can have returned the text. */
function readNodeId(id: string): { type: NodeType; keys: readonly [pda: string, vcHash: string] } {
  const text = id.length > MAX_ID ? '' : Buffer.from(id, 'base64url').toString()
  const [type = '', pda, vcHash = '', ...more] = text.split(':')
  if (isType(type) && isPubkey(pda) && TYPES[type].test(vcHash) && more.length === 0)
    return { type, keys: [pda, vcHash] }
  throw new DomainError('INVALID_NODE_ID', { parameter: 'id', value: quoted(id) })
}

const isType = (type: string): type is NodeType => Object.hasOwn(TYPES, type)
