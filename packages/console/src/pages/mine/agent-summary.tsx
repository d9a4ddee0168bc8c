import { Section } from '../../form/form.tsx'
import { Address, ExternalLink, Link, Status, words } from '../../ui/index.ts'
import type { MyAgent } from './page.tsx'
import css from './page.module.css'

/** The agent as the registry has it. */
export function AgentSummary({ agent }: { readonly agent: MyAgent }) {
  const { pda, name, status, tier, reputationScore, card, agentCardUrl } = agent
  return (
    <Section title={name}>
      <dl className={css.facts}>
        <div>
          <dt>Status</dt>
          <dd>
            <Status value={status} />
          </dd>
        </div>
        <div>
          <dt>Tier</dt>
          <dd>{words(tier)}</dd>
        </div>
        <div>
          <dt>Reputation</dt>
          <dd>{reputationScore.toLocaleString('en')} of 1,000</dd>
        </div>
        <div>
          <dt>Address</dt>
          <dd>
            <Address value={pda} label="agent address" />
          </dd>
        </div>
        <div className={css.wide}>
          <dt>Card</dt>
          <dd>
            <Status value={card.state} /> <ExternalLink href={agentCardUrl} />
            {card.reason !== null && <span className={css.reason}>{card.reason}</span>}
          </dd>
        </div>
      </dl>
      <p>
        <Link href={`/agents/${pda}`}>See it as others do</Link>
      </p>
    </Section>
  )
}
