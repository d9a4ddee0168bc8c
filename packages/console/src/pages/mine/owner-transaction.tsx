import { type ReactNode, useState } from 'react'
import { Choice } from '../../form/form.tsx'
import { useTransaction } from '../../transaction/provider.tsx'
import type { TransactionRequest } from '../../transaction/transactions.ts'
import { Section } from '../../ui/index.ts'
import type { MyAgent } from './page.tsx'

export interface OwnerTransaction extends TransactionRequest {
  /** Whether the gateway may pay the network fee. */
  readonly sponsorable?: boolean
}

/** What the sections of the page need. */
export interface OwnerProps {
  readonly agent: MyAgent
  readonly sign: Sign
}

export type Sign = (transaction: OwnerTransaction) => void

/**
 * Transactions of the owner of an agent. The gateway pays the network fee if the owner wants it.
 */
export function useOwnerTransaction(
  agent: MyAgent | null,
  canSponsor: boolean,
): { readonly sign: Sign; readonly feeChoice: ReactNode } {
  const start = useTransaction()
  // The gateway pays for agents whose registration it paid, and from the tier basic on.
  const isKnown = agent !== null && (agent.rentPayer !== agent.owner || agent.tier !== 'OBSERVER')
  const isEligible = canSponsor && isKnown
  const [wantsSponsor, setWantsSponsor] = useState(true)
  const sponsored = isEligible && wantsSponsor
  const sign: Sign = ({ send, sponsorable = false, ...request }) =>
    start({
      ...request,
      send: (registry, signer, options) =>
        send(registry, signer, { ...options, sponsored: sponsored && sponsorable }),
    })
  const feeChoice = isEligible && (
    <Section title="Network fees">
      <Choice
        label="Let the gateway pay the network fees"
        hint="For updates, stake, suspension and reactivation, up to its daily limits. Your wallet pays for the rest."
        checked={wantsSponsor}
        onChange={({ target }) => setWantsSponsor(target.checked)}
      />
    </Section>
  )
  return { sign, feeChoice }
}
