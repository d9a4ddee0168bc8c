import { useState } from 'react'
import { Address, Badge, ExternalLink, Facts, RelativeTime, Section, type Tone } from '../../ui/index.ts'
import type { Agent, Credential } from './agent.ts'
import { type Check, checksOf } from './checks.ts'
import css from './page.module.css'

/** What others say about the agent, with the reasons for each verdict. */
export function CredentialsSection({ agent }: { readonly agent: Agent }) {
  const credentials = agent.credentials.nodes
  return (
    <Section title="Credentials" aside={<span className={css.hint}>{credentials.length}</span>}>
      {credentials.length === 0 ? (
        <p className={css.hint}>
          This agent has no credentials. Its owner can list them in the agent card, or verify one on the page
          Credentials.
        </p>
      ) : (
        <ul className={css.credentials}>
          {credentials.map((credential) => (
            <CredentialItem key={credential.id} credential={credential} did={agent.did} />
          ))}
        </ul>
      )}
    </Section>
  )
}

interface ItemProps {
  readonly credential: Credential
  readonly did: string
}

function CredentialItem({ credential, did }: ItemProps) {
  const { type, issuer, credentialUrl, validFrom, validUntil, indexedAt } = credential
  const [now] = useState(Date.now)
  const checks = checksOf(credential, did, now)
  const [tone, verdict] = verdictOf(credential)
  return (
    <li className={css.credential}>
      <div className={css.credentialHead}>
        <h3>{titleOf(type)}</h3>
        <Badge tone={tone} dot>
          {verdict}
        </Badge>
      </div>
      <Facts
        facts={[
          [
            'Issued by',
            <span key="issuer">
              {issuer === did && 'the agent itself '}
              <Address value={issuer} label="issuer" />
            </span>,
          ],
          ...(validFrom === null
            ? []
            : [['Valid since', <RelativeTime key="from" value={validFrom} />] as const]),
          ['Ends', validUntil === null ? 'Never' : <RelativeTime value={validUntil} />],
          ['Attached', <RelativeTime key="at" value={indexedAt} />],
        ]}
      />
      {checks === null ? (
        <p className={css.hint}>
          The rules of this gateway changed, and the credential does not pass them any more. Its owner can
          verify it again on the page Credentials to see why.
        </p>
      ) : (
        <Checks checks={checks} />
      )}
      <p className={css.hint}>
        Document: <ExternalLink href={credentialUrl} />
      </p>
    </li>
  )
}

function Checks({ checks }: { readonly checks: readonly Check[] }) {
  const passed = checks.filter((check) => check.passed).length
  return (
    <details>
      <summary>
        {passed === checks.length
          ? `All ${passed} checks passed`
          : `${passed} of ${checks.length} checks passed`}
      </summary>
      <ul className={css.checks}>
        {checks.map((check) => (
          <li key={check.title} data-passed={check.passed}>
            <span>
              <strong>{check.title}</strong>
              <span className="visually-hidden">{check.passed ? ': passed.' : ': failed.'}</span>
            </span>
            <p>{check.text}</p>
          </li>
        ))}
      </ul>
    </details>
  )
}

function verdictOf({ structurallyValid, proofVerified, status }: Credential): [tone: Tone, text: string] {
  if (!structurallyValid) return ['bad', 'Not valid now']
  if (status === 'REVOKED') return ['bad', 'Revoked']
  if (status === 'SUSPENDED') return ['bad', 'Suspended']
  return proofVerified ? ['good', 'Verified'] : ['warn', 'Not trusted']
}

/** `SecurityAuditCredential` as "Security audit". */
function titleOf(type: string): string {
  const text = type
    .replace(/Credential$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return text === '' ? 'Credential' : text.charAt(0).toUpperCase() + text.slice(1)
}
