import { type Check, check } from '../../ui/checks.tsx'
import type { Credential } from './agent.ts'

const STATUS_TEXTS: Readonly<Record<NonNullable<Credential['status']>, string>> = {
  VALID: 'The issuer has neither revoked nor suspended it.',
  REVOKED: 'The issuer revoked it, so it no longer counts.',
  SUSPENDED: 'The issuer suspended it, so it does not count now.',
  UNKNOWN: 'The list of the issuer could not be read, so it may be revoked.',
}

const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/**
 * The checks of a credential that is attached to an agent, as they are now. Only credentials that
 * pass the first five are attached. Null if one fails although the dates are right: the rules
 * changed.
 */
export function checksOf(credential: Credential, did: string, now: number): Check[] | null {
  const { issuer, structurallyValid, proofVerified, status } = credential
  const isOwn = issuer === did
  // A bad status says nothing about the signature: the service looks it up only if that is right.
  const isTrusted = proofVerified || status === 'REVOKED' || status === 'SUSPENDED'
  const [isInTime, dates] = datesOf(credential, now)
  if (!structurallyValid && isInTime) return null
  return [
    check(
      'Vocabulary',
      true,
      'It uses the vocabulary of W3C credentials. The gateway has pinned copies of all of it.',
    ),
    check('Type', true, 'It says which type of credential it is.'),
    check('Subject', true, 'It is about this agent: its subject is the DID of the owner.'),
    check('Dates', structurallyValid, dates),
    check('Proof', true, 'It has a signature of its issuer.'),
    check(
      'Trust',
      isTrusted,
      isTrusted
        ? 'The signature is right, and this gateway trusts the issuer for this type.'
        : isOwn
          ? 'The agent issued it about itself, so it proves nothing. This gateway does not trust the issuer for this type.'
          : 'This gateway does not trust the issuer for this type, or the signature is wrong or out of date.',
    ),
    ...(status === null ? [] : [check('Status', status === 'VALID', STATUS_TEXTS[status])]),
  ]
}

/** Whether it is valid by its dates, and why. */
function datesOf({ validFrom, validUntil }: Credential, now: number): [isInTime: boolean, text: string] {
  const [from, until] = [validFrom, validUntil].map((each) => (each === null ? null : Date.parse(each)))
  if (until != null && until <= now) return [false, `It ended on ${date.format(until)}.`]
  if (from != null && from > now) return [false, `It begins on ${date.format(from)}.`]
  const end = until == null ? 'It is valid now, and has no end.' : `It is valid until ${date.format(until)}.`
  return [true, end]
}
