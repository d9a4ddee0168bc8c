import { Facts, Section } from '../../ui/index.ts'
import { Badge, ExternalLink, RelativeTime, Status, type Tone, words } from '../../ui/values.ts'
import type { Agent } from './page.tsx'

type Card = Agent['card']

/** The hosted card, and whether it is the one that the owner recorded. */
export function CardSection({ agent }: { readonly agent: Agent }) {
  const { card, agentCardUrl, name } = agent
  const [tone, verdict] = VERDICTS[card.state]
  const hasContent = card.name !== null || card.skills.length > 0 || card.interfaces.length > 0
  return (
    <Section title="Agent card" aside={<Status value={card.state} />}>
      <div className="notice" data-tone={tone}>
        <p>
          {verdict} {card.matchedBy && MATCHES[card.matchedBy]}
        </p>
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
        facts={{
          'Name in the card': card.name !== name && card.name,
          Provider: card.provider,
          Version: card.version,
          'A2A protocol': card.protocolVersion,
          Signature: card.signature && SIGNATURES[card.signature],
          Documentation: card.documentationUrl && <ExternalLink href={card.documentationUrl} />,
          'Card address': <ExternalLink href={agentCardUrl} />,
        }}
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
        <ul className="stack">
          {skills.map(({ id, name, description, tags }) => (
            <li key={id} className="stack tight">
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
        <ul className="stack">
          {interfaces.map(({ url, binding, protocolVersion }) => (
            <li key={`${url} ${binding}`} className="stack tight">
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

const VERDICTS: Record<Card['state'], [tone: Tone, text: string]> = {
  MATCHED: ['good', 'This is the card that the owner recorded on the ledger.'],
  MISMATCHED: [
    'bad',
    'The hosted card is not the one that the owner recorded on the ledger. Do not rely on it. Lists leave out this agent until its owner records the new card.',
  ],
  UNREACHABLE: ['warn', 'The gateway could not fetch the card. It tries again later.'],
  UNCHECKED: [
    'neutral',
    'The gateway did not check the card since its address or its hash changed. It usually does so within a minute.',
  ],
}

const MATCHES: Record<NonNullable<Card['matchedBy']>, string> = {
  RAW: 'Every byte is the same.',
  JCS: 'Its content is the same. Spaces or the order of members differ.',
}

const SIGNATURES: Record<NonNullable<Card['signature']>, string> = {
  VERIFIED: 'Signed with the key of the owner',
  FOREIGN: 'Signed with other keys, which the gateway does not check',
  INVALID: 'Wrong: it names the key of the owner, but does not match it',
  UNSIGNED: 'Not signed',
}
