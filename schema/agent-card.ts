import { CARD_LIMITS } from '../src/identity/agent-cards/card-content.ts'
import { UNCHECKED_CARD, type CardRow } from '../src/identity/agent-cards/card-reads.ts'
import {
  type CardInterface,
  type CardSkill,
  CARD_SIGNATURES,
  CARD_MATCHES,
  CARD_STATES,
} from '../src/domain/agent-card.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'
import { fieldsBelow } from './selection-size.ts'

const AgentCardState = builder.enumType('AgentCardState', {
  description: 'The result of the last check of an agent card.',
  values: enumValues(CARD_STATES, {
    unchecked: 'Not checked since its URL or hash changed.',
    matched: 'The card has the recorded hash.',
    mismatched: 'The card has a different hash.',
    unreachable: 'The card could not be fetched. The previous result remains valid.',
  }),
})

const AgentCardMatch = builder.enumType('AgentCardMatch', {
  description: 'The form of the card that has the recorded hash.',
  values: enumValues(CARD_MATCHES, {
    raw: 'The bytes as served.',
    jcs: 'The canonical JSON form (RFC 8785).',
  }),
})

const AgentCardSignature = builder.enumType('AgentCardSignature', {
  description: 'The result of the signature check of an agent card.',
  values: enumValues(CARD_SIGNATURES, {
    verified: 'Signed with the owner’s key: EdDSA with `kid` `did:sol:<owner>#key-1`.',
    invalid: 'The signature names the owner’s key, but is invalid.',
    foreign: 'Signed only with other keys, which are not verified.',
    unsigned: 'Not signed.',
  }),
})

const InterfaceRef = builder.objectRef<CardInterface>('AgentCardInterface').implement({
  description: 'An endpoint of an agent.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'URL of the endpoint.' }),
    binding: t.exposeString('binding', {
      nullable: true,
      description: 'Protocol binding, such as JSONRPC, GRPC or HTTP+JSON.',
    }),
    protocolVersion: t.exposeString('protocolVersion', {
      description: 'A2A version of the endpoint. Null if the card does not name it.',
      nullable: true,
    }),
  }),
})

const SkillRef = builder.objectRef<CardSkill>('AgentCardSkill').implement({
  description: 'A skill that the agent card lists.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier of the skill within the card.' }),
    name: t.exposeString('name', { description: 'Display name of the skill.' }),
    description: t.exposeString('description', { description: 'Description of the skill.' }),
    tags: t.field({
      description: 'Keywords.',
      type: ['String'],
      resolve: ({ tags }) => [...tags],
    }),
  }),
})

const optional = (description: string) => ({ nullable: true, description }) as const

/** A card is read whole, whichever fields are selected. */
export const CARD_WEIGHT = 50

const AgentCardRef = builder.objectRef<Omit<CardRow, 'agentPda'>>('AgentCard').implement({
  description: `The hosted A2A card of an agent (version 0.3 or 1.0), as last fetched. Not verified unless its state is matched. Texts are cut at ${CARD_LIMITS.text.toLocaleString('en')} characters; names, versions and tags at ${CARD_LIMITS.shortText}.`,
  fields: (t) => ({
    state: t.expose('state', { description: 'Result of the last check.', type: AgentCardState }),
    checkedAt: t.expose('checkedAt', {
      description: 'Time of the last check. Null before the first check.',
      type: 'DateTime',
      nullable: true,
    }),
    reason: t.exposeString('reason', optional('Why the card is mismatched or unreachable. Null otherwise.')),
    matchedBy: t.expose('matchedBy', {
      description: 'The form that has the recorded hash. Null if the hash does not match.',
      type: AgentCardMatch,
      nullable: true,
    }),
    signature: t.expose('signature', {
      description: 'Result of the signature check. Null before the first successful fetch.',
      type: AgentCardSignature,
      nullable: true,
    }),
    name: t.string({ ...optional('Name in the card.'), resolve: ({ content }) => content?.name ?? null }),
    description: t.string({
      description: 'Description in the card.',
      nullable: true,
      resolve: ({ content }) => content?.description ?? null,
    }),
    version: t.string({
      ...optional('Version of the agent.'),
      resolve: ({ content }) => content?.version ?? null,
    }),
    url: t.string({
      ...optional('URL of the preferred endpoint.'),
      resolve: ({ content }) => content?.url ?? null,
    }),
    protocolVersion: t.string({
      ...optional('A2A version of the card.'),
      resolve: ({ content }) => content?.protocolVersion ?? null,
    }),
    provider: t.string({
      ...optional('Organization that provides the agent.'),
      resolve: ({ content }) => content?.provider ?? null,
    }),
    documentationUrl: t.string({
      ...optional('URL of the documentation.'),
      resolve: ({ content }) => content?.documentationUrl ?? null,
    }),
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
  }),
})

builder.objectField(AgentRef, 'card', (t) =>
  t.field({
    extensions: { weight: CARD_WEIGHT, tables: 'uncached' },
    type: AgentCardRef,
    description: 'The last check of the card at `agentCardUrl`.',
    resolve: async ({ pda }, _args, { loaders }) => (await loaders.cardByAgent.load(pda)) ?? UNCHECKED_CARD,
  }),
)
