import { formStyles as css } from '../../form/form.tsx'
import { Button, Section } from '../../ui/index.ts'
import type { Sign } from './owner-transaction.tsx'
import type { MyAgent } from './page.tsx'
import styles from './page.module.css'

interface StatusSectionProps {
  readonly agent: MyAgent
  readonly sign: Sign
}

/** Suspend, reactivate, deactivate and close, each with what it means. */
export function StatusSection({ agent, sign }: StatusSectionProps) {
  const { name, status, stake } = agent
  const hasFunds = BigInt(stake?.depositedAmount ?? 0) > 0n
  return (
    <Section title="Status">
      {status === 'ACTIVE' && (
        <Action
          text="A suspended agent stays in the registry. You can reactivate it at any time."
          label="Suspend"
          onClick={() =>
            sign({
              title: `Suspend ${name}`,
              send: (registry, signer, options) => registry.agents.suspend(signer, options),
              sponsorable: true,
            })
          }
        />
      )}
      {status === 'SUSPENDED' && (
        <Action
          text="The agent is suspended. If an admin suspended it, only an admin can end that."
          label="Reactivate"
          onClick={() =>
            sign({
              title: `Reactivate ${name}`,
              send: (registry, signer, options) => registry.agents.reactivate(signer, options),
              sponsorable: true,
            })
          }
        />
      )}
      {status !== 'DEACTIVATED' && (
        <Action
          text="Deactivation is permanent: the agent cannot become active again. You can still withdraw its stake."
          label="Deactivate"
          danger
          onClick={() =>
            sign({
              title: `Deactivate ${name} permanently`,
              send: (registry, signer, options) => registry.agents.deactivate(signer, options),
            })
          }
        />
      )}
      {status === 'DEACTIVATED' && stake !== null && (
        <Action
          text={
            hasFunds
              ? 'The agent is deactivated. Withdraw all of its stake, then close the stake and the agent.'
              : 'The agent is deactivated. Close its empty stake first; its rent comes back.'
          }
          label="Close the stake"
          disabled={hasFunds}
          onClick={() =>
            sign({
              title: 'Close the stake',
              send: (registry, signer, options) => registry.stakes.close(signer, options),
            })
          }
        />
      )}
      {status === 'DEACTIVATED' && stake === null && (
        <Action
          text="The agent is deactivated. Closing removes it from the registry; its rent goes back to who paid it. Its history stays readable."
          label="Close the agent"
          danger
          onClick={() =>
            sign({
              title: `Close ${name}`,
              send: (registry, signer, options) => registry.agents.close(signer, options),
            })
          }
        />
      )}
    </Section>
  )
}

interface ActionProps {
  readonly text: string
  readonly label: string
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly onClick: () => void
}

function Action({ text, label, danger, disabled, onClick }: ActionProps) {
  return (
    <div className={styles.action}>
      <p className={css.hint}>{text}</p>
      <Button look={danger ? 'danger' : 'plain'} disabled={disabled} onClick={onClick}>
        {label}
      </Button>
    </div>
  )
}
