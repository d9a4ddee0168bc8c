import { z } from 'zod'
import type { PreparedTransaction } from '../../src/relay/prepared-transaction.ts'
import type { TransactionRecord } from '../../src/relay/record.ts'
import { amount, category, owner, prepared, priorityLevel, transaction } from './shapes.ts'
import { SUBMIT_TOOL } from './message-priority.ts'
import type { AddTool } from './tool.ts'

const NEXT = 'Let the owner sign serializedTx, then call submit_transaction.'
const cardUrl = z.string().max(400).describe('URL of the agent card, 1 to 200 bytes')
const cardHash = z.string().max(64).describe('SHA-256 of the agent card, 64 hex digits')

export function addWriteTools(add: AddTool): void {
  add('prepare_register_agent', {
    title: 'Prepare the registration of an agent',
    description: `Builds and simulates a transaction that registers an agent. The owner pays the rent and the fee. ${NEXT}`,
    kind: 'prepare',
    readOnly: false,
    input: {
      ownerPubkey: owner,
      name: z.string().max(64).describe('1 to 32 bytes'),
      serviceCategory: category,
      agentCardUrl: cardUrl,
      agentCardHash: cardHash,
      priorityLevel,
    },
    output: prepared,
    run: async ({ registryTransactions }, input) =>
      preparedView(await registryTransactions.registerAgent(input)),
  })

  add('prepare_update_agent', {
    title: 'Prepare an update of an agent’s metadata',
    description: `Builds and simulates a transaction that changes the given fields. Set agentCardUrl and agentCardHash together. ${NEXT}`,
    kind: 'prepare',
    readOnly: false,
    input: {
      ownerPubkey: owner,
      name: z.string().max(64).optional().describe('1 to 32 bytes'),
      serviceCategory: category.optional(),
      capabilities: z.string().max(20).optional().describe('u64 bit mask as decimal text'),
      version: z.string().max(32).optional().describe('0 to 16 bytes'),
      agentCardUrl: cardUrl.optional(),
      agentCardHash: cardHash.optional(),
      priorityLevel,
    },
    output: prepared,
    run: async ({ registryTransactions }, input) =>
      preparedView(await registryTransactions.updateAgent(input)),
  })

  add('prepare_deposit', {
    title: 'Prepare a deposit of stake',
    description: `Builds and simulates a transaction that moves USDC from the owner’s associated token account to the agent’s vault. ${NEXT}`,
    kind: 'prepare',
    readOnly: false,
    input: { ownerPubkey: owner, amount, priorityLevel },
    output: prepared,
    run: async ({ registryTransactions }, input) => preparedView(await registryTransactions.deposit(input)),
  })

  add('prepare_withdrawal', {
    title: 'Prepare a withdrawal request',
    description: `Builds and simulates a transaction that requests a withdrawal of stake. The withdrawal can be completed after the cooldown of the registry. ${NEXT}`,
    kind: 'prepare',
    readOnly: false,
    input: { ownerPubkey: owner, amount, priorityLevel },
    output: prepared,
    run: async ({ registryTransactions }, input) =>
      preparedView(await registryTransactions.requestWithdrawal(input)),
  })

  add(SUBMIT_TOOL, {
    title: 'Send a signed transaction',
    description: 'Sends a prepared and signed transaction once and waits a few seconds for its outcome.',
    kind: 'submit',
    readOnly: false,
    input: {
      txId: z.string().max(64),
      signedTx: z.string().max(2_000).describe('The transaction with all signatures, base64'),
    },
    output: transaction,
    run: async ({ relay }, { txId, signedTx }, clientIp) =>
      transactionView(await relay.submit({ id: txId, signedTx }, clientIp)),
  })

  add('transaction_status', {
    title: 'Read a transaction’s status',
    description: 'Returns the current status of a prepared transaction.',
    readOnly: true,
    input: { txId: z.string().max(64) },
    output: transaction,
    run: async ({ relay }, { txId }) => transactionView(await relay.get(txId)),
  })
}

function preparedView(view: PreparedTransaction): z.output<typeof prepared> {
  const { id, serializedTx, blockhash, lastValidBlockHeight } = view
  const { estimatedComputeUnits, priorityFee, feePayer } = view
  return {
    txId: id,
    serializedTx,
    blockhash,
    lastValidBlockHeight,
    estimatedComputeUnits,
    priorityFee,
    feePayer,
  }
}

function transactionView({ id, error, ...rest }: TransactionRecord): z.output<typeof transaction> {
  const { status, signature, slot } = rest
  if (error === null) return { txId: id, status, signature, slot, error }
  const { code, message, logs } = error
  return {
    txId: id,
    status,
    signature,
    slot,
    error: { code, message, ...(logs === undefined ? {} : { logs: [...logs] }) },
  }
}
