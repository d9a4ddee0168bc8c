import { z } from 'zod'
import { AGENT_STATUSES, SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { TRANSACTION_STATUSES } from '../../src/domain/transaction-status.ts'
import { PRIORITY_LEVELS } from '../../src/relay/policy.ts'

/** Inputs. Limits that a service checks are only described, so that the client gets its errors. */
export const owner = z.string().max(64).describe('Public key of the owner, base-58')
export const tier = z.enum(TIERS)
export const category = z.enum(SERVICE_CATEGORIES)
export const priorityLevel = z
  .enum(PRIORITY_LEVELS)
  .optional()
  .describe('Priority fee level. Default: medium')
export const amount = z.string().max(20).describe('Amount in USDC base units (6 decimals), as decimal text')

export const transactionId = z.string().max(64).describe('The id of the prepared transaction')
export const signedTx = z.string().max(2_000).describe('The transaction with the owner’s signature, base64')
export const registration = {
  ownerPubkey: owner,
  name: z.string().max(64).describe('1 to 32 bytes'),
  serviceCategory: category,
  agentCardUrl: z.string().max(400).describe('URL of the agent card, 1 to 200 bytes'),
  agentCardHash: z.string().max(64).describe('SHA-256 of the agent card, 64 hex digits'),
}

/** Outputs. */
export const agent = z.object({
  pda: z.string().describe('Address of the agent’s account, base-58'),
  owner: z.string(),
  did: z.string(),
  name: z.string(),
  tier,
  status: z.enum(AGENT_STATUSES),
  serviceCategory: category,
  reputationScore: z.number().describe('0 to 1000'),
  capabilities: z.string().describe('u64 bit mask as decimal text'),
  version: z.string(),
  agentCardUrl: z.string(),
  cardHashMismatch: z.boolean().describe('True if the hosted card does not match its recorded hash'),
  createdAt: z.string().describe('ISO 8601'),
  updatedAt: z.string().describe('ISO 8601'),
})

export const check = z.object({ check: z.string(), passed: z.boolean(), detail: z.string() })

export const credential = z.object({
  type: z.string(),
  issuer: z.string().describe('DID of the issuer'),
  credentialUrl: z.string(),
  vcHash: z.string().describe('SHA-256 of the canonical JSON form of the credential, hex'),
  validFrom: z.string().nullable(),
  validUntil: z.string().nullable().describe('Null means no expiry'),
  structurallyValid: z.boolean(),
  proofVerified: z.boolean().describe('True if a trusted issuer signed it, and did not revoke or suspend it'),
})

export const prepared = z.object({
  id: z.string().describe('Identifier for submit_transaction and transaction_status'),
  serializedTx: z.string().describe('Unsigned transaction, base64. The owner signs it'),
  blockhash: z.string(),
  lastValidBlockHeight: z.number(),
  estimatedComputeUnits: z.number(),
  priorityFee: z.number().describe('Priority fee in micro-lamports per compute unit'),
  feePayer: z.string(),
})

/** For tools that submit. */
export const AFTER_LOST_RESULT =
  'If the result is lost, the transaction may have been sent: call transaction_status with the id. While the status is simulated, repeat this call with the same arguments. Never prepare it again before the status is failed with another error than outcome_unknown.'

export const transaction = z.object({
  id: z.string(),
  status: z.enum(TRANSACTION_STATUSES),
  signature: z.string().nullable(),
  slot: z.number().nullable(),
  error: z
    .object({ code: z.string(), message: z.string(), logs: z.array(z.string()).optional() })
    .nullable()
    .describe('Reason of the failure. Null unless status is failed'),
})
