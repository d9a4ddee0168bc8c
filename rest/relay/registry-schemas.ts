import { type TProperties, Type } from 'typebox'
import { SERVICE_CATEGORIES } from '@agent-registry/program'
import { PRIORITY_LEVELS } from '../../src/relay/policy.ts'
import { Body, Choice, errors, Pubkey } from '../contract/shapes.ts'
import { PreparedTransaction } from './schemas.ts'

const owner = {
  ownerPubkey: Pubkey('Wallet that owns the agent. It signs and pays.'),
  priorityLevel: Type.Optional(Choice(PRIORITY_LEVELS, { default: 'medium' })),
}
const sponsored = Type.Optional(
  Type.Boolean({
    description:
      'True to let the service pay the network fee. The rules of POST /relay/prepare/sponsored apply.',
  }),
)
const amount = Type.String({
  pattern: '^[0-9]{1,20}$',
  description: 'USDC base units (6 decimals), in decimal text.',
  examples: ['250000000'],
})
const name = Type.String({ description: '1 to 32 bytes of UTF-8.', examples: ['Weather Scout'] })
const serviceCategory = Choice(SERVICE_CATEGORIES)
const agentCardUrl = Type.String({
  description: '1 to 200 bytes, with the scheme https, ipfs, ar or did.',
  examples: ['https://agents.example/weather-scout.json'],
})
const agentCardHash = Type.String({
  pattern: '^[0-9a-fA-F]{64}$',
  description: 'SHA-256 of the agent card, 64 hex digits.',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
})

export const registerAgentBody = Body({
  ...owner,
  name,
  serviceCategory,
  agentCardUrl,
  agentCardHash,
  inviteCode: Type.Optional(
    Type.String({
      description:
        'With an invite code the service pays rent and fee. Then submit to POST /sponsor/register/submit.',
      examples: ['7KQ4M-X2D9H-0RTVW-P3ZBN'],
    }),
  ),
})

export const updateAgentBody = Body({
  ...owner,
  name: Type.Optional(name),
  serviceCategory: Type.Optional(serviceCategory),
  capabilities: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,20}$',
      description: 'Bit mask of capabilities, in decimal text.',
      examples: ['5'],
    }),
  ),
  version: Type.Optional(Type.String({ description: '0 to 16 bytes of UTF-8.', examples: ['1.4.0'] })),
  agentCardUrl: Type.Optional(agentCardUrl),
  agentCardHash: Type.Optional(agentCardHash),
  sponsored,
})

export const amountBody = Body({ ...owner, amount, sponsored })
export const ownerBody = Body({ ...owner, sponsored })

/** The schema of a route that builds one instruction of the registry program. */
export function instructionSchema<Properties extends TProperties>(
  operationId: string,
  summary: string,
  body: ReturnType<typeof Body<Properties>>,
) {
  return {
    operationId,
    tags: ['Relay'],
    summary,
    description:
      'Builds the instruction from the body, and simulates the transaction as POST /relay/prepare does. The owner signs it; send it to POST /relay/submit.',
    querystring: Type.Object({}),
    body,
    response: {
      200: PreparedTransaction,
      ...errors([400, 403, 404, 409, 413, 415, 422], {
        400: 'ownerPubkey must be a base-58 public key of 32 bytes, got "x"',
        500: 'Failed to prepare transaction',
        503: 'The ledger RPC node is not available',
      }),
    },
  }
}
