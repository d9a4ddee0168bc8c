import { DomainError } from '../../domain/errors.ts'
import { quoted } from '../../domain/quoted.ts'

const INTRODUCTION = ' wants you to sign in with your Solana account:'
const STATEMENT_PLACE = 3
/** Could show the user of a wallet other lines than the ones that are read. */
const MISLEADING = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** The lines after the statement, in this order. */
const FIELDS = [
  ['uri', 'URI'],
  ['version', 'Version'],
  ['chainId', 'Chain ID'],
  ['nonce', 'Nonce'],
  ['issuedAt', 'Issued At'],
  ['expirationTime', 'Expiration Time'],
  ['notBefore', 'Not Before'],
  ['requestId', 'Request ID'],
] as const
const REQUIRED = ['uri', 'version', 'chainId', 'nonce', 'issuedAt'] as const

type Field = (typeof FIELDS)[number][0]
type Required = (typeof REQUIRED)[number]

/** The members of a sign-in message (EIP-4361 for Solana, CAIP-122) as text. */
export type SignInMessage = { readonly domain: string; readonly address: string } & {
  readonly [Name in Required]: string
} & { readonly [Name in Exclude<Field, Required>]?: string }

/** Writes the text that `solana:signIn` of the Wallet Standard signs for these members. */
export function writeSignInMessage({ domain, address, ...fields }: SignInMessage, statement: string): string {
  const lines = FIELDS.flatMap(([name, label]) =>
    fields[name] === undefined ? [] : [`${label}: ${fields[name]}`],
  )
  return [`${domain}${INTRODUCTION}`, address, '', statement, '', ...lines].join('\n')
}

/** Reads a sign-in message, with or without a statement. Throws INVALID_SIGN_IN_MESSAGE. */
export function parseSignInMessage(text: string): SignInMessage {
  const misleading = MISLEADING.exec(text)
  if (misleading !== null)
    throw invalidMessage(`control and bidirectional characters are not allowed, got ${quoted(misleading[0])}`)
  const [first = '', address = '', ...rest] = text.trimEnd().split('\n')
  if (!first.endsWith(INTRODUCTION))
    throw invalidMessage(`the first line must end with "${INTRODUCTION.trim()}"`)
  const start = rest.findIndex((line) => line.startsWith('URI: '))
  if (start < 0) throw missingLine('uri')
  // A statement is one line between two empty ones.
  if (start > STATEMENT_PLACE || rest[0] !== '' || rest[start - 1] !== '')
    throw invalidMessage('an empty line, one line of text and an empty line must follow the address')
  const lines = rest.slice(start)
  const fields: { [Name in Field]?: string } = {}
  for (const [name, label] of FIELDS) {
    if (lines[0]?.startsWith(`${label}: `)) fields[name] = lines.shift()!.slice(label.length + 2)
  }
  const [unknown, ...resources] = lines
  if (
    unknown !== undefined &&
    (unknown !== 'Resources:' || !resources.every((each) => each.startsWith('- ')))
  )
    throw invalidMessage(`the line ${quoted(unknown)} is unknown, repeated or in the wrong place`)
  const missing = REQUIRED.find((name) => fields[name] === undefined)
  if (missing !== undefined) throw missingLine(missing)
  return {
    domain: first.slice(0, -INTRODUCTION.length),
    address,
    ...(fields as Pick<SignInMessage, Field>),
  }
}

export function invalidMessage(problem: string): DomainError {
  return new DomainError('INVALID_SIGN_IN_MESSAGE', { problem })
}

/** The problem of one line, such as `Nonce must be …, got "x"`. */
export function invalidLine(name: Field, problem: string, value: string): DomainError {
  return invalidMessage(`${labelOf(name)} ${problem}, got ${quoted(value)}`)
}

function missingLine(name: Field): DomainError {
  return invalidMessage(`the line "${labelOf(name)}: …" is missing`)
}

function labelOf(name: Field): string {
  return FIELDS.find(([each]) => each === name)![1]
}
