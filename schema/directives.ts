import { buildSchema, type GraphQLDirective, isSpecifiedDirective } from 'graphql'
import { ERRORS } from '../src/domain/errors.ts'
import { RATE_LIMIT_KINDS } from '../src/platform/rate-limits/rate-limits.ts'
import { enumName } from './enum-values.ts'

const describe = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, description]) => `${JSON.stringify(description)} ${name}`)
    .join('\n')

const ERROR_CODES = describe({
  ...Object.fromEntries(Object.entries(ERRORS).map(([code, { message }]) => [code, message])),
  INTERNAL_SERVER_ERROR: 'Internal server error',
})

/** Those that count calls. */
const { reads: _reads, files: _files, sends: _sends, ...guarded } = RATE_LIMIT_KINDS
const RATE_LIMITS = describe(
  Object.fromEntries(Object.entries(guarded).map(([kind, { counts }]) => [enumName(kind), `${counts}.`])),
)

const DIRECTIVES = `
"What a call costs of the rate limit of reads, in addition to the values of its selection."
directive @cost(
  "Units without arguments."
  units: Int
  "Values for each entry. 600 values cost a unit."
  weight: Int
) on FIELD_DEFINITION

"The field belongs to a wallet, or to the operator."
directive @login("What proves it." with: Login!) on FIELD_DEFINITION

"Another limit counts each call."
directive @rateLimit("The limit." limit: RateLimit!) on FIELD_DEFINITION

"What a call can refuse, other than malformed arguments and limits."
directive @errors("The usual codes first." codes: [ErrorCode!]!) on FIELD_DEFINITION

"The field exists only on a localnet that the service runs."
directive @localnetOnly on FIELD_DEFINITION

"What a field requires."
enum Login {
  "A request that a wallet signed, or a session."
  WALLET
  "A session."
  SESSION
  "The token of the operator."
  OPERATOR
}

"A limit that counts a call in addition to its units."
enum RateLimit { ${RATE_LIMITS} }

"The member \`extensions.code\` of an error. Codes are never renamed or reused."
enum ErrorCode { ${ERROR_CODES} }

type Query { unused: Int }`

/**
 * The policy of fields (policy.ts), for tools that read the SDL. Each schema has types of its own,
 * because some are changed (variants.ts).
 */
export function policyDirectives(): readonly GraphQLDirective[] {
  return buildSchema(DIRECTIVES)
    .getDirectives()
    .filter((each) => !isSpecifiedDirective(each))
}
