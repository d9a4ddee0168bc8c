import { Button, Section } from '../../ui/index.ts'
import type { OwnerProps, OwnerTransaction } from './owner-transaction.tsx'
import type { MyAgent } from './page.tsx'

interface Action extends OwnerTransaction {
  readonly label: string
  /** What it means. */
  readonly text: string
  readonly disabled?: boolean
}

/** Suspend, reactivate, deactivate and close, each with what it means. */
export function StatusSection({ agent, sign }: OwnerProps) {
  return (
    <Section title="Status">
      <div className="stack divided">
        {actionsOf(agent).map((action) => (
          <div key={action.label} className="spread">
            <p className="note">{action.text}</p>
            <Button
              look={action.danger ? 'danger' : 'plain'}
              disabled={action.disabled}
              onClick={() => sign(action.danger ? { ...action, warning: action.text } : action)}
            >
              {action.label}
            </Button>
          </div>
        ))}
      </div>
    </Section>
  )
}

/** What its owner can do in the status that the agent has. */
function actionsOf({ name, status, stake }: MyAgent): Action[] {
  const deactivate: Action = {
    label: 'Deactivate',
    text: 'Deactivation is permanent: the agent cannot become active again. You can still withdraw its stake.',
    danger: true,
    title: `Deactivate ${name} permanently`,
    send: ({ agents }, ...given) => agents.deactivate(...given),
  }
  if (status === 'ACTIVE')
    return [
      {
        label: 'Suspend',
        text: 'A suspended agent stays in the registry. You can reactivate it at any time.',
        title: `Suspend ${name}`,
        send: ({ agents }, ...given) => agents.suspend(...given),
        sponsorable: true,
      },
      deactivate,
    ]
  if (status === 'SUSPENDED')
    return [
      {
        label: 'Reactivate',
        text: 'The agent is suspended. If an admin suspended it, only an admin can end that.',
        title: `Reactivate ${name}`,
        send: ({ agents }, ...given) => agents.reactivate(...given),
        sponsorable: true,
      },
      deactivate,
    ]
  if (stake === null)
    return [
      {
        label: 'Close the agent',
        text: 'The agent is deactivated. Closing removes it from the registry; its rent goes back to who paid it. Its history stays readable.',
        danger: true,
        title: `Close ${name}`,
        send: ({ agents }, ...given) => agents.close(...given),
      },
    ]
  const hasFunds = BigInt(stake.depositedAmount) > 0n
  return [
    {
      label: 'Close the stake',
      text: hasFunds
        ? 'The agent is deactivated. Withdraw all of its stake, then close the stake and the agent.'
        : 'The agent is deactivated. Close its empty stake first; its rent comes back.',
      disabled: hasFunds,
      title: 'Close the stake',
      send: ({ stakes }, ...given) => stakes.close(...given),
    },
  ]
}
