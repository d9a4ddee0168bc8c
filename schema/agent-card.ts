import { CARD_LIMITS } from '../src/identity/agent-cards/card-content.ts'
import type { CardProblem } from '../src/identity/agent-cards/card-problems.ts'
import { UNCHECKED_CARD, type CardRow } from '../src/identity/agent-cards/card-reads.ts'
import type { CardInterface, CardSkill } from '../src/domain/agent-card.ts'
import { AgentRef } from './agent.ts'
import type { NewCardVerdict } from '../src/identity/agent-cards/check-new-card.ts'
import { MAX_PUBLISHED_CARD, type PublishedCard } from '../src/identity/agent-cards/publish-card.ts'
import { builder } from './builder.ts'
import { list, nullable, objectType, of, text, time } from './columns.ts'
import { args, inputType, limited, required } from './inputs.ts'
import { cardHash, cardUrl } from './registry-transactions.ts'
import { enumType } from './enum-values.ts'
import { fieldsBelow } from './selection-size.ts'

const AgentCardState = enumType('AgentCardState', 'The result of the last check of an agent card.', {
  unchecked: 'Not compared with a hash since its URL or hash changed.',
  matched: 'The card has the recorded hash.',
  mismatched: 'The card has a different hash.',
  unreachable: 'The card could not be fetched. The previous result remains valid.',
})

const AgentCardMatch = enumType('AgentCardMatch', 'The form of the card that has the recorded hash.', {
  raw: 'The bytes as served.',
  jcs: 'The canonical JSON form (RFC 8785).',
})

const AgentCardSignature = enumType(
  'AgentCardSignature',
  'The result of the signature check of an agent card.',
  {
    unsigned: 'Not signed.',
    verified: 'Signed with the owner’s key: EdDSA with `kid` `did:sol:<owner>#key-1`.',
    invalid: 'The signature names the owner’s key, but is invalid.',
    foreign: 'Signed only with other keys, which are not verified.',
  },
)

const InterfaceRef = objectType<CardInterface>('AgentCardInterface', 'An endpoint of an agent.', {
  url: text('URL of the endpoint.'),
  binding: nullable(text('Protocol binding, such as JSONRPC, GRPC or HTTP+JSON.')),
  protocolVersion: nullable(text('A2A version of the endpoint. Null if the card does not name it.')),
})

const SkillRef = objectType<CardSkill>('AgentCardSkill', 'A skill that the agent card lists.', {
  id: text('Identifier of the skill within the card.'),
  name: text('Display name of the skill.'),
  description: text('Description of the skill.'),
  tags: list(text('Keywords.')),
})

/** A card is read whole, whichever fields are selected. */
export const CARD_WEIGHT = 50

const AgentCardRef = objectType<Omit<CardRow, 'agentPda'>>(
  'AgentCard',
  `The hosted A2A card of an agent (version 0.3 or 1.0), as last fetched. Not verified unless its state is matched. Texts are cut at ${CARD_LIMITS.text.toLocaleString('en')} characters; names, versions and tags at ${CARD_LIMITS.shortText}.`,
  {
    state: of(AgentCardState, 'Result of the last check.'),
    reason: nullable(text('Why the card is mismatched or unreachable. Null otherwise.')),
    checkedAt: nullable(time('Time of the last check. Null before the first check.')),
    matchedBy: nullable(
      of(AgentCardMatch, 'The form that has the recorded hash. Null if the hash does not match.'),
    ),
    signature: nullable(
      of(AgentCardSignature, 'Result of the signature check. Null before the first successful fetch.'),
    ),
  },
)

/** Texts of the card. Null if it was never fetched, or does not have them. */
const CARD_TEXTS = {
  name: 'Name in the card.',
  description: 'Description in the card.',
  version: 'Version of the agent.',
  url: 'URL of the preferred endpoint.',
  protocolVersion: 'A2A version of the card.',
  provider: 'Organization that provides the agent.',
  documentationUrl: 'URL of the documentation.',
}

for (const [member, description] of Object.entries(CARD_TEXTS))
  builder.objectField(AgentCardRef, member, (t) =>
    t.string({
      nullable: true,
      description,
      resolve: ({ content }) => content?.[member as keyof typeof CARD_TEXTS] ?? null,
    }),
  )

builder.objectFields(AgentCardRef, (t) => ({
  interfaces: t.field({
    type: [InterfaceRef],
    description: `Endpoints, the preferred one first. At most ${CARD_LIMITS.interfaces}, and ${CARD_LIMITS.interfacesBytes.toLocaleString('en')} bytes of JSON.`,
    resolve: ({ content }) => [...(content?.interfaces ?? [])],
  }),
  skills: t.field({
    type: [SkillRef],
    description: `Skills. At most ${CARD_LIMITS.skills}, and ${CARD_LIMITS.skillsBytes.toLocaleString('en')} bytes of JSON.`,
    resolve: ({ content }, _args, { spend }, info) => {
      const skills = [...(content?.skills ?? [])]
      spend(skills.length * fieldsBelow(info))
      return skills
    },
  }),
}))

builder.objectField(AgentRef, 'card', (t) =>
  t.field({
    extensions: { weight: CARD_WEIGHT },
    type: AgentCardRef,
    description: 'The last check of the card at `agentCardUrl`.',
    resolve: async ({ pda }, _args, { loaders }) => (await loaders.cardByAgent.load(pda)) ?? UNCHECKED_CARD,
  }),
)

const cardText = limited(text(`JSON of Agent2Agent 1.0 or 0.3, at most ${MAX_PUBLISHED_CARD} bytes.`), {
  maxLength: MAX_PUBLISHED_CARD,
})

const AgentCardSource = inputType(
  'AgentCardSource',
  'Where an agent card is.',
  { url: cardUrl, card: cardText },
  { isOneOf: true },
)

const CardProblemRef = objectType<CardProblem>(
  'AgentCardProblem',
  'Why clients of Agent2Agent (A2A) could not use a card.',
  {
    path: text('The member, such as `skills[0].name`. Empty for the card itself.', 'skills[0].name'),
    problem: text('What is wrong. It follows the path.', 'is missing'),
  },
)

const CardCheckRef = objectType<NewCardVerdict>(
  'AgentCardCheck',
  'The check of a card that no agent has yet.',
  {
    state: of(AgentCardState, 'How the card compares with the hash. Unchecked if none was given.'),
    reason: nullable(text('Why the card is mismatched or unreachable. Null otherwise.')),
    matchedBy: nullable(of(AgentCardMatch, 'The form that has the hash. Null if none has.')),
    hash: nullable(text('SHA-256 of the card, hex. Null if it is unreachable.', 'ab'.repeat(32))),
    a2aVersion: nullable(
      text(
        'Version of A2A by whose rules the problems were found: 1.0 or 0.3. Null without an object.',
        '1.0',
      ),
    ),
    problems: list(of(CardProblemRef, 'The first problems. Empty if the card is valid or unreachable.')),
  },
)

builder.queryField('checkAgentCard', (t) =>
  t.field({
    extensions: { rateLimit: 'verify', errors: ['INVALID_TEXT', 'INVALID_TYPE', 'CARD_CHECKS_BUSY'] },
    type: CardCheckRef,
    description:
      'Checks an agent card before a registration or an update, as it is checked afterwards. Results for a URL are shared for some seconds.',
    args: args({ source: required(of(AgentCardSource, 'The card.')), hash: cardHash }),
    resolve: (_, { source, hash }, { services }) => services.newCards.check(source, hash),
  }),
)

const PublishedCardRef = objectType<PublishedCard>('PublishedCard', 'A card on the localnet.', {
  url: text(
    'For `agentCardUrl` of a registration.',
    'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  ),
  hash: text('SHA-256 of the card, hex, for `agentCardHash`.', 'ab'.repeat(32)),
})

builder.mutationField('publishLocalnetCard', (t) =>
  t.field({
    extensions: { rateLimit: 'prepare', localnetOnly: true, errors: ['INVALID_TEXT', 'LOCALNET_ONLY'] },
    type: PublishedCardRef,
    description: 'Publishes an agent card, for trying out a registration.',
    args: args({
      card: required(cardText),
    }),
    resolve: (_, { card }, { services }) => services.cardPublisher.publish(card),
  }),
)
