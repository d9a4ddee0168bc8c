import { Address, ExternalLink, Facts, Link, Section, Status, Tier, withCommas } from '../../ui/index.ts'
import type { MyAgent } from './page.tsx'

/** The agent as the registry has it. */
export function AgentSummary({ agent }: { readonly agent: MyAgent }) {
  const { pda, name, status, tier, reputationScore, card, agentCardUrl } = agent
  return (
    <Section title={name}>
      <Facts
        facts={[
          ['Status', <Status key="status" value={status} />],
          ['Tier', <Tier key="tier" value={tier} />],
          ['Reputation', `${withCommas(reputationScore)} of 1,000`],
          ['Address', <Address key="address" value={pda} label="agent address" />],
          ['Card', <ExternalLink key="card" href={agentCardUrl} />],
          ['Check of the card', <Status key="state" value={card.state} />],
          ['Reason', card.reason],
        ]}
      />
      <p>
        <Link href={`/agents/${pda}`}>Open its public page</Link>
      </p>
    </Section>
  )
}
