import { isObject } from '../json.ts'
import type { CardJson } from './card-content.ts'

/** What an A2A client could not use. */
export interface CardProblem {
  /** Such as `skills[0].name`. Empty for the card itself. */
  readonly path: string
  /** Follows the path, as in `is missing`. */
  readonly problem: string
}

/** Version of A2A (Agent2Agent) whose rules a card must follow. Null if it is not an object. */
export type CardVersion = '1.0' | '0.3' | null

const MAX_PROBLEMS = 20

/** Checks a card by the required members of A2A. Returns the first problems. */
export function findCardProblems(json: CardJson | null): {
  a2aVersion: CardVersion
  problems: CardProblem[]
} {
  const whole = (problem: string) => ({ a2aVersion: null, problems: [{ path: '', problem }] })
  if (json === null) return whole('must be JSON')
  if (json.problem !== null) return whole(`must be a JSON document with one meaning: ${json.problem}`)
  const { value: card } = json
  if (!isObject(card)) return whole('must be a JSON object')
  const isOld = card.supportedInterfaces === undefined && 'url' in card
  const problems = (isOld ? CARD_0_3 : CARD_1_0)(card, '').slice(0, MAX_PROBLEMS)
  return { a2aVersion: isOld ? '0.3' : '1.0', problems }
}

type Rule = (value: unknown, path: string) => CardProblem[]

const must =
  (problem: string, isValid: (value: unknown) => boolean): Rule =>
  (value, path) =>
    isValid(value) ? [] : [{ path, problem: value === undefined ? 'is missing' : `must be ${problem}` }]

const text = must('a text that is not empty', (value) => typeof value === 'string' && value.trim() !== '')
const flag = must('true or false', (value) => typeof value === 'boolean')
const httpsUrl = must(
  'a URL that begins with https',
  (value) => typeof value === 'string' && URL.parse(value)?.protocol === 'https:',
)

const list = (entry: Rule, least = 0): Rule => {
  const kind = must(least === 0 ? 'a list' : 'a list that is not empty', (value) => {
    return Array.isArray(value) && value.length >= least
  })
  return (value, path) => [
    ...kind(value, path),
    ...(Array.isArray(value) ? value.flatMap((each, i) => entry(each, `${path}[${i}]`)) : []),
  ]
}

const object = (required: Record<string, Rule>, optional: Record<string, Rule> = {}): Rule => {
  const kind = must('an object', isObject)
  return (value, path) => {
    if (!isObject(value)) return kind(value, path)
    const given = Object.entries(optional).filter(([name]) => value[name] !== undefined)
    return [...Object.entries(required), ...given].flatMap(([name, rule]) =>
      rule(value[name], path === '' ? name : `${path}.${name}`),
    )
  }
}

const SKILL = object(
  { id: text, name: text, description: text, tags: list(text) },
  { examples: list(text), inputModes: list(text), outputModes: list(text) },
)
const REQUIRED = {
  name: text,
  description: text,
  version: text,
  capabilities: object({}, { streaming: flag, pushNotifications: flag }),
  defaultInputModes: list(text),
  defaultOutputModes: list(text),
  skills: list(SKILL, 1),
}
const OPTIONAL = {
  provider: object({ organization: text, url: text }),
  documentationUrl: text,
  iconUrl: text,
}

const CARD_1_0 = object(
  {
    ...REQUIRED,
    supportedInterfaces: list(object({ url: httpsUrl, protocolBinding: text, protocolVersion: text }), 1),
  },
  OPTIONAL,
)
const CARD_0_3 = object(
  { ...REQUIRED, url: httpsUrl, protocolVersion: text },
  { ...OPTIONAL, additionalInterfaces: list(object({ url: httpsUrl, transport: text })) },
)
