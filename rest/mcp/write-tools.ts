import { z } from 'zod'
import {
  AFTER_LOST_RESULT,
  amount,
  category,
  owner,
  prepared,
  priorityLevel,
  registration,
  signedTx,
  transaction,
  transactionId,
} from './shapes.ts'
import { preparedView, transactionView } from './transaction-view.ts'
import { SUBMIT_TOOL } from './message-priority.ts'
import { defineTool } from './tool.ts'

const NEXT = 'Let the owner sign serializedTx, then call submit_transaction.'

export const WRITE_TOOLS = [
  defineTool('prepare_register_agent', {
    title: 'Prepare the registration of an agent',
    description: `Builds and simulates a transaction that registers an agent. The owner pays the rent and the fee. ${NEXT}`,
    kind: 'prepare',
    effect: 'prepare',
    input: { ...registration, priorityLevel },
    output: prepared,
    run: async ({ registryTransactions }, input, { clientIp }) =>
      preparedView(await registryTransactions.registerAgent(input, clientIp)),
  }),

  defineTool('prepare_update_agent', {
    title: 'Prepare an update of an agent’s metadata',
    description: `Builds and simulates a transaction that changes the given fields. Set agentCardUrl and agentCardHash together. ${NEXT}`,
    kind: 'prepare',
    effect: 'prepare',
    input: {
      ownerPubkey: owner,
      name: registration.name.optional(),
      serviceCategory: category.optional(),
      capabilities: z.string().max(20).optional().describe('u64 bit mask as decimal text'),
      version: z.string().max(32).optional().describe('0 to 16 bytes'),
      agentCardUrl: registration.agentCardUrl.optional(),
      agentCardHash: registration.agentCardHash.optional(),
      priorityLevel,
    },
    output: prepared,
    run: async ({ registryTransactions }, input, { clientIp }) =>
      preparedView(await registryTransactions.updateAgent(input, clientIp)),
  }),

  defineTool('prepare_deposit', {
    title: 'Prepare a deposit of stake',
    description: `Builds and simulates a transaction that moves USDC from the owner’s associated token account to the agent’s vault. ${NEXT}`,
    kind: 'prepare',
    effect: 'prepare',
    input: { ownerPubkey: owner, amount, priorityLevel },
    output: prepared,
    run: async ({ registryTransactions }, input, { clientIp }) =>
      preparedView(await registryTransactions.deposit(input, clientIp)),
  }),

  defineTool('prepare_withdrawal', {
    title: 'Prepare a withdrawal request',
    description: `Builds and simulates a transaction that requests a withdrawal of stake. The withdrawal can be completed after the cooldown of the registry. ${NEXT}`,
    kind: 'prepare',
    effect: 'prepare',
    input: { ownerPubkey: owner, amount, priorityLevel },
    output: prepared,
    run: async ({ registryTransactions }, input, { clientIp }) =>
      preparedView(await registryTransactions.requestWithdrawal(input, clientIp)),
  }),

  defineTool(SUBMIT_TOOL, {
    title: 'Send a signed transaction',
    description: `Sends a prepared and signed transaction once and waits a few seconds for its outcome. ${AFTER_LOST_RESULT}`,
    kind: 'submit',
    effect: 'send',
    input: {
      id: transactionId,
      signedTx,
    },
    output: transaction,
    run: async ({ relay }, input, { clientIp }) => transactionView(await relay.submit(input, clientIp)),
  }),

  defineTool('transaction_status', {
    title: 'Read a transaction’s status',
    description:
      'Returns the current status of a prepared transaction. simulated: it was not submitted. submitted: it can still land. confirmed: it is on the ledger. failed: it can no longer land, unless the error is outcome_unknown.',
    effect: 'read',
    input: { id: transactionId },
    output: transaction,
    run: async ({ relay }, { id }) => transactionView(await relay.get(id)),
  }),
]
