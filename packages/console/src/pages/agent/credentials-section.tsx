import { useState } from 'react'
import { Facts, Section } from '../../ui/index.ts'
import { Address, ExternalLink, Light, RelativeTime, type Tone, words } from '../../ui/values.ts'
import { type Check, Checks } from '../../ui/checks.tsx'
import { Export } from '../../ui/export.tsx'
import type { Agent, Credential } from './agent.ts'
import { checksOf } from './checks.ts'
import { ExportCredentialsDocument } from './page.generated.ts'

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
