import type { DecodedInstruction, DecodedValue } from '@agent-registry/client/decode'
import { capabilityNames } from '../api/enums.ts'
import { formatUnits, words } from '../ui/index.ts'

/** What each instruction does, for somebody who is asked to sign it. */
const EFFECTS: Readonly<Record<string, string>> = {
  registerAgent: 'Registers an agent that belongs to your wallet.',
  updateAgent: 'Changes the details of your agent. What is not listed stays as it is.',
  suspendAgent: 'Suspends your agent. You can reactivate it.',
  reactivateAgent: 'Makes your agent active again.',
  deactivateAgent: 'Deactivates your agent permanently. It cannot become active again.',
  closeAgent: 'Removes the account of your agent. Its rent goes back to who paid it.',
  closeDeactivationRecord: 'Removes the record of the deactivation. Its rent goes back to you.',
  deposit: 'Moves USDC from your wallet to the vault of your agent.',
  requestWithdrawal: 'Asks for a withdrawal of stake. It is payable after the waiting time.',
  cancelWithdrawal: 'Cancels the withdrawal. The USDC stay in the vault.',
  completeWithdrawal: 'Pays the withdrawal to your wallet.',
  closeStake: 'Removes the empty stake. Its rent goes back to who paid it.',
}

export const REGISTRY_PROGRAM = 'Registry program'

const LABELS: Readonly<Record<string, string>> = {
  agentCardUrl: 'Card URL',
  agentCardHash: 'Card hash',
  serviceCategory: 'Category',
}

export function effectOf({ name }: DecodedInstruction): string {
  return EFFECTS[name] ?? `Calls ${name} of the registry program.`
}

/** The arguments as labels and texts. Options without a value are left out. */
export function argumentsOf({ args }: DecodedInstruction): [label: string, value: string][] {
  return Object.entries(args)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [LABELS[name] ?? words(name), textOf(name, value)])
}

function textOf(name: string, value: DecodedValue): string {
  if (name === 'amount') return `${formatUnits(value as bigint, 6)} USDC`
  if (name === 'capabilities') return capabilityNames(String(value)).join(', ') || 'None'
  if (name === 'serviceCategory') return words(String(value))
  return value === '' ? '(empty)' : String(value)
}
