import { useState } from 'react'
import { Facts, Section } from '../../ui/index.ts'
import { Address, ExternalLink, Light, RelativeTime, type Tone, words } from '../../ui/values.ts'
import { type Check, check, Checks } from '../../ui/checks.tsx'
import { Export } from '../../ui/export.tsx'
import { CHECKS } from '../credentials/checks.ts'
import { type CredentialFieldsFragment as Credential, ExportCredentialsDocument } from './page.generated.ts'
import type { Agent } from './page.tsx'

/** What others say about the agent, with the reasons for each verdict. */
export function CredentialsSection({ agent }: { readonly agent: Agent }) {
  const credentials = agent.credentials.nodes
  return (
    <Section title="Credentials" aside={<span className="hint">{credentials.length}</span>}>
      {credentials.length === 0 ? (
        <p className="hint">
          This agent has no credentials. Its owner can list them in the agent card, or verify one on the page
          Credentials.
        </p>
      ) : (
        <>
          <ul className="stack divided">
            {credentials.map((credential) => (
              <CredentialItem key={credential.id} credential={credential} did={agent.did} />
            ))}
          </ul>
          <Export name="credentials" query={ExportCredentialsDocument} variables={{ pda: agent.pda }} />
        </>
      )}
    </Section>
  )
}

function CredentialItem({ credential, did }: { readonly credential: Credential; readonly did: string }) {
  const { type, issuer, credentialUrl, validFrom, validUntil, indexedAt } = credential
  const [now] = useState(Date.now)
  const checks = checksOf(credential, did, now)
  const [tone, verdict] = verdictOf(credential)
  return (
    <li className="stack tight">
      <div className="spread">
        <h3>{words(type.replace(/Credential$/, '')) || 'Credential'}</h3>
        <Light tone={tone} text={verdict} />
      </div>
      <Facts
        facts={{
          'Issued by': (
            <span>
              {issuer === did && 'the agent itself '}
              <Address value={issuer} label="issuer" />
            </span>
          ),
          'Valid since': validFrom && <RelativeTime value={validFrom} />,
          Ends: validUntil === null ? 'Never' : <RelativeTime value={validUntil} />,
          Attached: <RelativeTime value={indexedAt} />,
        }}
      />
      {checks === null ? (
        <p className="hint">
          The rules of this gateway changed, and the credential does not pass them any more. Its owner can
          verify it again on the page Credentials to see why.
        </p>
      ) : (
        <details>
          <summary>{summaryOf(checks)}</summary>
          <Checks checks={checks} />
        </details>
      )}
      <p className="hint">
        Document: <ExternalLink href={credentialUrl} />
      </p>
    </li>
  )
}

function summaryOf(checks: readonly Check[]): string {
  const passed = checks.filter(({ state }) => state === 'passed').length
  return passed === checks.length
    ? `All ${passed} checks passed`
    : `${passed} of ${checks.length} checks passed`
}

function verdictOf({ structurallyValid, proofVerified, status }: Credential): [tone: Tone, text: string] {
  if (!structurallyValid) return ['bad', 'Not valid now']
  if (status === 'REVOKED') return ['bad', 'Revoked']
  if (status === 'SUSPENDED') return ['bad', 'Suspended']
  return proofVerified ? ['good', 'Verified'] : ['warn', 'Not trusted']
}

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
function checksOf(credential: Credential, did: string, now: number): Check[] | null {
  const { issuer, structurallyValid, proofVerified, status } = credential
  const isOwn = issuer === did
  // A bad status says nothing about the signature: the service looks it up only if that is right.
  const isTrusted = proofVerified || status === 'REVOKED' || status === 'SUSPENDED'
  const [isInTime, dates] = datesOf(credential, now)
  if (!structurallyValid && isInTime) return null
  const trust = isTrusted
    ? 'The signature is right, and this gateway trusts the issuer for this type.'
    : isOwn
      ? 'The agent issued it about itself, so it proves nothing. This gateway does not trust the issuer for this type.'
      : 'This gateway does not trust the issuer for this type, or the signature is wrong or out of date.'
  const found: Partial<Record<string, readonly [passed: boolean, text: string]>> = {
    TEMPORAL: [structurallyValid, dates],
    PROOF_VERIFIED: [isTrusted, trust],
    STATUS: status === null ? undefined : [status === 'VALID', STATUS_TEXTS[status]],
  }
  return Object.entries(CHECKS)
    .filter(([name]) => name !== 'STATUS' || status !== null)
    .map(([name, { title, text }]) => check(title, ...(found[name] ?? ([true, text] as const))))
}

/** Whether it is valid by its dates, and why. */
function datesOf({ validFrom, validUntil }: Credential, now: number): [isInTime: boolean, text: string] {
  const [from, until] = [validFrom, validUntil].map((each) => (each === null ? null : Date.parse(each)))
  if (until != null && until <= now) return [false, `It ended on ${date.format(until)}.`]
  if (from != null && from > now) return [false, `It begins on ${date.format(from)}.`]
  const end = until == null ? 'It is valid now, and has no end.' : `It is valid until ${date.format(until)}.`
  return [true, end]
}
