import { Badge, classes, ExternalLink, Facts, RelativeTime, Section, Status, words } from '../../ui/index.ts'
import type { Agent, Card } from './agent.ts'
import css from './page.module.css'
import { SIGNATURES, verdictOf } from './verdict.ts'

/** The hosted card, and whether it is the one that the owner recorded. */
export function CardSection({ agent }: { readonly agent: Agent }) {
  const { card, agentCardUrl, name } = agent
  const verdict = verdictOf(card)
  const hasContent = card.name !== null || card.skills.length > 0 || card.interfaces.length > 0
  return (
    <Section title="Agent card" aside={<Status value={card.state} />}>
      <div className="notice" data-tone={verdict.tone}>
        <p>{verdict.text}</p>
        {card.reason !== null && <p>Reason: {card.reason}</p>}
        {card.state === 'UNREACHABLE' && hasContent && (
          <p>What is shown comes from the last time that it worked.</p>
        )}
        {card.checkedAt !== null && (
          <p className="hint">
            Last checked <RelativeTime value={card.checkedAt} />
          </p>
        )}
      </div>
      {card.description !== null && <p>{card.description}</p>}
      <Facts
        facts={[
          ['Name in the card', card.name !== name && card.name],
          ['Provider', card.provider],
          ['Version', card.version],
          ['A2A protocol', card.protocolVersion],
          ['Signature', card.signature && SIGNATURES[card.signature]],
          ['Documentation', card.documentationUrl && <ExternalLink href={card.documentationUrl} />],
          ['Card address', <ExternalLink key="url" href={agentCardUrl} />],
        ]}
      />
      {hasContent ? (
        <Content card={card} />
      ) : (
        <p className="hint">The gateway never read the card, so its skills and interfaces are not known.</p>
      )}
    </Section>
  )
}

function Content({ card: { skills, interfaces } }: { readonly card: Card }) {
  return (
    <>
      <div className="stack tight">
        <h3>Skills</h3>
        {skills.length === 0 && <p className="hint">The card lists no skills.</p>}
        <ul className={classes('stack', css.items)}>
          {skills.map(({ id, name, description, tags }) => (
            <li key={id}>
              <strong>{name}</strong>
              <p>{description}</p>
              <span className="row">
                {tags.map((tag) => (
                  <Badge key={tag}>{words(tag)}</Badge>
                ))}
              </span>
            </li>
          ))}
        </ul>
      </div>
      <div className="stack tight">
        <h3>Interfaces</h3>
        <p className="hint">Where other agents reach this one. The first one is preferred.</p>
        <ul className={classes('stack', css.items)}>
          {interfaces.map(({ url, binding, protocolVersion }) => (
            <li key={`${url} ${binding}`}>
              <ExternalLink href={url} />
              <span className="row">
                {binding !== null && <Badge>{binding}</Badge>}
                {protocolVersion !== null && <Badge>A2A {protocolVersion}</Badge>}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}
