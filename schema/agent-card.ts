import { CARD_LIMITS } from '../src/identity/agent-cards/card-content.ts'
import { UNCHECKED_CARD, type CardRow } from '../src/identity/agent-cards/card-reads.ts'
import type { CardInterface, CardSkill } from '../src/domain/agent-card.ts'
import { AgentRef } from './agent.ts'
import { MAX_PUBLISHED_CARD, type PublishedCard } from '../src/identity/agent-cards/publish-card.ts'
import { builder } from './builder.ts'
import { list, nullable, objectType, of, text, time } from './columns.ts'
import { args, limited, required } from './inputs.ts'
import { enumType } from './enum-values.ts'
import { fieldsBelow } from './selection-size.ts'

const AgentCardState = enumType('AgentCardState', 'The result of the last check of an agent card.', {
  unchecked: 'Not checked since its URL or hash changed.',
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
      card: required(
        limited(text(`JSON of Agent2Agent 1.0, at most ${MAX_PUBLISHED_CARD} bytes.`), {
          maxLength: MAX_PUBLISHED_CARD,
        }),
      ),
    }),
    resolve: (_, { card }, { services }) => services.cardPublisher.publish(card),
  }),
)
