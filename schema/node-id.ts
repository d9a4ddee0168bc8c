import { isPubkey } from '@agent-registry/solana'
import { DomainError } from '../src/domain/errors.ts'
import { quoted } from '../src/domain/quoted.ts'

/** What follows the address in the id of each type. */
const TYPES = { Agent: /^$/, Stake: /^$/, Credential: /^[0-9a-f]{64}$/ } as const
export type NodeType = keyof typeof TYPES

const MAX_ID = 250

/** The id of an object: its type and its keys, encoded so that clients treat it as opaque. */
export function nodeId(type: NodeType, pda: string, vcHash = ''): string {
  return Buffer.from([type, pda, vcHash].join(':')).toString('base64url')
}

/** Throws INVALID_NODE_ID unless `nodeId` can have returned the text. */
export function readNodeId(id: string): { type: NodeType; keys: readonly [pda: string, vcHash: string] } {
  const text = id.length > MAX_ID ? '' : Buffer.from(id, 'base64url').toString()
  const [type = '', pda, vcHash = '', ...more] = text.split(':')
  if (isType(type) && isPubkey(pda) && TYPES[type].test(vcHash) && more.length === 0)
    return { type, keys: [pda, vcHash] }
  throw new DomainError('INVALID_NODE_ID', { parameter: 'id', value: quoted(id) })
}

const isType = (type: string): type is NodeType => Object.hasOwn(TYPES, type)
