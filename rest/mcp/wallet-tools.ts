import { z } from 'zod'
import { MAX_URL_LENGTH } from '../../src/identity/credentials/attached/submission.ts'
import { check } from './shapes.ts'
import { defineTool } from './tool.ts'

const SESSION = 'Needs a session of the owner: the client must send its token as a Bearer token.'

/** Tools for the owner of an agent, who is known by a session or by wallet headers. */
export const WALLET_TOOLS = [
  defineTool('verify_credential', {
    title: 'Verify a credential of your agent',
    description: `Fetches a W3C Verifiable Credential and checks it. If it is structurally valid, it is attached to the agent. ${SESSION}`,
    kind: 'verify',
    effect: 'attach',
    input: {
      pda: z.string().max(64).describe('Address of the agent’s account, base-58'),
      credentialUrl: z.string().max(MAX_URL_LENGTH).describe('URL of the hosted credential'),
    },
    output: z.object({
      structurallyValid: z.boolean(),
      proofVerified: z
        .boolean()
        .describe('True if the proof is valid, the issuer is trusted, and it is not revoked or suspended'),
      type: z.string(),
      issuer: z.string().describe('DID of the issuer. Empty if there is none'),
      vcHash: z.string(),
      checks: z.array(check),
    }),
    run: async ({ credentials }, { pda, credentialUrl }, { authenticate }) => {
      const wallet = await authenticate()
      const { checks, ...result } = await credentials.verify(wallet, pda, { credentialUrl })
      const { structurallyValid, proofVerified, type, issuer, vcHash } = result
      return { structurallyValid, proofVerified, type, issuer, vcHash, checks: [...checks] }
    },
  }),

  defineTool('list_webhooks', {
    title: 'List your webhooks',
    description: `Lists the webhooks of the owner, oldest first. At most 20. ${SESSION}`,
    effect: 'read',
    input: {},
    output: z.object({
      webhooks: z.array(
        z.object({
          id: z.string(),
          url: z.string(),
          eventTypes: z.array(z.string()),
          filterAgentPda: z.string().nullable().describe('Null for the events of all agents'),
          active: z.boolean(),
          disabledReason: z.string().nullable().describe('Null unless the service disabled it'),
        }),
      ),
    }),
    run: async ({ webhooks }, _, { authenticate }) => {
      const rows = await webhooks.list(await authenticate())
      return {
        webhooks: rows.map(({ id, url, eventTypes, filterAgentPda, active, disabledReason }) => ({
          id,
          url,
          eventTypes: [...eventTypes],
          filterAgentPda,
          active,
          disabledReason,
        })),
      }
    },
  }),
]
