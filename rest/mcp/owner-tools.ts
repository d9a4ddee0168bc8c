import type { Services } from '../../src/services.ts'
import { owner, prepared, priorityLevel } from './shapes.ts'
import { defineTool, type Tool } from './tool.ts'
import { preparedView } from './transaction-view.ts'

type Method =
  | 'suspendAgent'
  | 'reactivateAgent'
  | 'deactivateAgent'
  | 'closeAgent'
  | 'closeDeactivationRecord'
  | 'cancelWithdrawal'
  | 'completeWithdrawal'
  | 'closeStake'

const NEXT = 'Let the owner sign serializedTx, then call submit_transaction.'

const ownerTool = (method: Method, title: string, purpose: string): Tool =>
  defineTool(`prepare_${method.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`, {
    title,
    description: `Builds and simulates a transaction that ${purpose}. ${NEXT}`,
    kind: 'prepare',
    effect: 'prepare',
    input: { ownerPubkey: owner, priorityLevel },
    output: prepared,
    run: async ({ registryTransactions }: Services, input, { clientIp }) =>
      preparedView(await registryTransactions[method](input, clientIp)),
  })

/** The transactions of an owner that need only the owner. */
export const OWNER_TOOLS = [
  ownerTool('suspendAgent', 'Prepare a suspension', 'suspends the owner’s agent'),
  ownerTool('reactivateAgent', 'Prepare the end of a suspension', 'ends a suspension by the owner'),
  ownerTool(
    'deactivateAgent',
    'Prepare a deactivation',
    'deactivates the owner’s agent permanently: it can never become active again',
  ),
  ownerTool('closeAgent', 'Prepare closing an agent', 'closes a deactivated agent without a stake'),
  ownerTool(
    'closeDeactivationRecord',
    'Prepare closing a deactivation record',
    'closes the record of a deactivation, 30 days after it',
  ),
  ownerTool('cancelWithdrawal', 'Prepare cancelling a withdrawal', 'cancels the requested withdrawal'),
  ownerTool(
    'completeWithdrawal',
    'Prepare the payout of a withdrawal',
    'pays out the requested withdrawal to the owner’s associated token account, after the cooldown',
  ),
  ownerTool('closeStake', 'Prepare closing a stake', 'closes the empty stake of a deactivated agent'),
]
