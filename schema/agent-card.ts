import { UNCHECKED_CARD, type CardRow } from '../src/identity/agent-cards/card-reads.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'
import { fieldsBelow } from './selection-size.ts'
import {
  type CardInterface,
  type CardSkill,
  CARD_SIGNATURES,
  CARD_MATCHES,
  CARD_STATES,
} from '../src/domain/agent-card.ts'

const AgentCardState = builder.enumType('AgentCardState', {
  description:
    'unchecked: not looked at since its URL or hash changed. unreachable: it could not be fetched; the verdict before still holds.',
  values: enumValues(CARD_STATES, {
    unchecked: 'Not looked at since its URL or hash changed.',
    matched: 'It has the recorded hash.',
    mismatched: 'It has another hash.',
    unreachable: 'It could not be fetched; the verdict before still holds.',
  }),
})

const AgentCardMatch = builder.enumType('AgentCardMatch', {
  description:
    'Which form has the recorded hash. raw: the bytes as served. jcs: their canonical form (RFC 8785).',
  values: enumValues(CARD_MATCHES, { raw: 'The bytes as served.', jcs: 'Their canonical form (RFC 8785).' }),
})

const AgentCardSignature = builder.enumType('AgentCardSignature', {
  description:
    'verified: signed with the owner’s key (`kid` is `did:sol:<owner>#key-1`, EdDSA). invalid: said to be, and is not. foreign: signed with other keys alone, which are not looked up.',
  values: enumValues(CARD_SIGNATURES, {
    verified: 'Signed with the key of the owner.',
    invalid: 'Said to be signed by the owner, and is not.',
    foreign: 'Signed with other keys alone, which are not looked up.',
    unsigned: 'Not signed.',
  }),
})

const InterfaceRef = builder.objectRef<CardInterface>('AgentCardInterface').implement({
  description: 'One address at which an agent is called.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Where to call.' }),
    binding: t.exposeString('binding', { nullable: true, description: 'JSONRPC, GRPC or HTTP+JSON.' }),
    protocolVersion: t.exposeString('protocolVersion', {
      description: 'A2A version spoken there; null where the card does not say.',
      nullable: true,
    }),
  }),
})

const SkillRef = builder.objectRef<CardSkill>('AgentCardSkill').implement({
  description: 'What an agent says it can do.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its name for machines, within the card.' }),
    name: t.exposeString('name', { description: 'Its name for people.' }),
    description: t.exposeString('description', { description: 'In the words of the card.' }),
    tags: t.field({
      description: 'Words to find it by.',
      type: ['String'],
      resolve: ({ tags }) => [...tags],
    }),
  }),
})

const said = (description: string) => ({ nullable: true, description }) as const

const AgentCardRef = builder.objectRef<Omit<CardRow, 'agentPda'>>('AgentCard').implement({
  description:
    'The hosted A2A card of an agent (versions 0.3 and 1.0), as last fetched. What it says binds nobody unless its state is matched.',
  fields: (t) => ({
    state: t.expose('state', { description: 'What the last look at it found.', type: AgentCardState }),
    checkedAt: t.expose('checkedAt', {
      description: 'When it was last looked at; null before the first time.',
      type: 'DateTime',
      nullable: true,
    }),
    reason: t.exposeString('reason', said('Why it is mismatched or unreachable.')),
    matchedBy: t.expose('matchedBy', {
      description: 'Which form has the recorded hash; null where none has.',
      type: AgentCardMatch,
      nullable: true,
    }),
    signature: t.expose('signature', {
      description: 'What its signatures are worth; null before it was read.',
      type: AgentCardSignature,
      nullable: true,
    }),
    name: t.string({ ...said('Of the card.'), resolve: ({ content }) => content?.name ?? null }),
    description: t.string({
      description: 'What the agent does, in the words of the card.',
      nullable: true,
      resolve: ({ content }) => content?.description ?? null,
    }),
    version: t.string({ ...said('Of the agent.'), resolve: ({ content }) => content?.version ?? null }),
    url: t.string({ ...said('Where the agent is called.'), resolve: ({ content }) => content?.url ?? null }),
    protocolVersion: t.string({
      ...said('Of A2A.'),
      resolve: ({ content }) => content?.protocolVersion ?? null,
    }),
    provider: t.string({ ...said('The organization.'), resolve: ({ content }) => content?.provider ?? null }),
    documentationUrl: t.string({
      ...said('Where people can read more.'),
      resolve: ({ content }) => content?.documentationUrl ?? null,
    }),
    interfaces: t.field({
      type: [InterfaceRef],
      description: 'At most 16, the preferred one first.',
      resolve: ({ content }) => [...(content?.interfaces ?? [])],
    }),
    skills: t.field({
      type: [SkillRef],
      description: 'At most 32.',
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
    type: AgentCardRef,
    description: 'What is known of the card at agentCardUrl.',
    resolve: async ({ pda }, _args, { loaders }) => (await loaders.cardByAgent.load(pda)) ?? UNCHECKED_CARD,
  }),
)
