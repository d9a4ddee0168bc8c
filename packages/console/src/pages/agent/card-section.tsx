import { Badge, ExternalLink, Facts, RelativeTime, Section, Status, words } from '../../ui/index.ts'
import type { Agent, Card } from './agent.ts'
import css from './page.module.css'
import { SIGNATURES, verdictOf } from './verdict.ts'

/** The hosted card, and whether it is the one that the owner recorded. */
export function CardSection({ agent }: { readonly agent: Agent }) {
  const { card, agentCardUrl, name } = agent
  const verdict = verdictOf(card)
  const signature = card.signature === null ? null : SIGNATURES[card.signature]
  const hasContent = card.name !== null || card.skills.length > 0 || card.interfaces.length > 0
  return (
    <Section title="Agent card" aside={<Status value={card.state} />}>
      <div className={css.verdict} data-tone={verdict.tone}>
        <p>{verdict.text}</p>
        {card.reason !== null && <p>Reason: {card.reason}</p>}
        {card.state === 'UNREACHABLE' && hasContent && (
          <p>What is shown comes from the last time that it worked.</p>
        )}
        {card.checkedAt !== null && (
          <p className={css.hint}>
            Last checked <RelativeTime value={card.checkedAt} />
          </p>
        )}
      </div>
      {card.description !== null && <p className={css.description}>{card.description}</p>}
      <Facts
        facts={[
          ...(card.name !== null && card.name !== name ? [['Name in the card', card.name] as const] : []),
          ...(card.provider === null ? [] : [['Provider', card.provider] as const]),
          ...(card.version === null ? [] : [['Version', card.version] as const]),
          ...(card.protocolVersion === null ? [] : [['A2A protocol', card.protocolVersion] as const]),
          ...(signature === null ? [] : [['Signature', signature.text] as const]),
          ...(card.documentationUrl === null
            ? []
            : [['Documentation', <ExternalLink key="url" href={card.documentationUrl} />] as const]),
          ['Card address', <ExternalLink key="url" href={agentCardUrl} />],
        ]}
      />
      {hasContent ? (
        <Content card={card} />
      ) : (
        <p className={css.hint}>
          The gateway never read the card, so its skills and interfaces are not known.
        </p>
      )}
    </Section>
  )
}

function Content({ card: { skills, interfaces } }: { readonly card: Card }) {
  return (
    <>
      <div className={css.part}>
        <h3>Skills</h3>
        {skills.length === 0 && <p className={css.hint}>The card lists no skills.</p>}
        <ul className={css.items}>
          {skills.map(({ id, name, description, tags }) => (
            <li key={id}>
              <strong>{name}</strong>
              <p>{description}</p>
              <span className={css.tags}>
                {tags.map((tag) => (
                  <Badge key={tag}>{words(tag)}</Badge>
                ))}
              </span>
            </li>
          ))}
        </ul>
      </div>
      <div className={css.part}>
        <h3>Interfaces</h3>
        <p className={css.hint}>Where other agents reach this one. The first one is preferred.</p>
        <ul className={css.items}>
          {interfaces.map(({ url, binding, protocolVersion }) => (
            <li key={`${url} ${binding}`}>
              <ExternalLink href={url} />
              <span className={css.tags}>
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
