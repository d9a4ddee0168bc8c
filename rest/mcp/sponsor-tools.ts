import { z } from 'zod'
import {
  AFTER_LOST_RESULT,
  owner,
  prepared,
  registration,
  signedTx,
  transaction,
  transactionId,
} from './shapes.ts'
import { SUBMIT_REGISTRATION_TOOL } from './message-priority.ts'
import { defineTool } from './tool.ts'
import { preparedView, transactionView } from './transaction-view.ts'

const inviteCode = z.string().max(64).describe('Invite code from the operator of the service')

/** Registrations that the service pays for. */
export const SPONSOR_TOOLS = [
  defineTool('check_eligibility', {
    title: 'Check whether a registration would be sponsored',
    description: 'Checks whether the service would pay for the registration of a wallet now. Takes nothing.',
    effect: 'read',
    input: { wallet: owner, code: inviteCode },
    output: z.object({
      eligible: z.boolean(),
      feePayerBalance: z.string().nullable().describe('Lamports as decimal text. Null unless eligible'),
      reason: z.string().nullable().describe('Why the wallet is not eligible. Null if eligible'),
    }),
    run: ({ sponsorship }, input, { clientIp }) => sponsorship.eligibility(input, clientIp),
  }),

  defineTool('prepare_sponsored_registration', {
    title: 'Prepare a registration that the service pays for',
    description:
      'Builds and simulates a transaction that registers an agent. The service pays the rent and the fee. Takes nothing. Let the owner sign serializedTx, then call submit_sponsored_registration.',
    kind: 'register',
    effect: 'prepare',
    input: { ...registration, inviteCode },
    output: prepared,
    run: async ({ registryTransactions }, input, { clientIp }) =>
      preparedView(await registryTransactions.registerSponsored(input, clientIp)),
  }),

  defineTool(SUBMIT_REGISTRATION_TOOL, {
    title: 'Send a sponsored registration',
    description: `Takes one use of the invite code, adds the signature of the service to a registration that its owner signed, sends it once and waits a few seconds for its outcome. ${AFTER_LOST_RESULT}`,
    kind: 'submit',
    effect: 'send',
    input: { id: transactionId, signedTx, signerPubkey: owner, inviteCode },
    output: transaction,
    run: async ({ sponsorship }, input, { clientIp }) =>
      transactionView(await sponsorship.submit(input, clientIp)),
  }),
]
