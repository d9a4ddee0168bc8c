import { Address, Facts, Light, Link, RelativeTime, Section, type Tone, words } from '../../ui/index.ts'
import { check, Checks } from '../../ui/checks.tsx'
import { CHECKS } from './checks.ts'
import type { OwnAgent } from '../../wallet/own-agent.tsx'
import type { VerifyCredentialMutation } from './page.generated.ts'

type Result = VerifyCredentialMutation['verifyCredential']

interface VerdictProps {
  readonly verdict: Result
  readonly isHosted: boolean
  readonly agent: OwnAgent
}

/** The checks with their reasons. */
export function Verdict({ verdict, isHosted, agent }: VerdictProps) {
  const { checks, type, issuer, validFrom, validUntil, structurallyValid } = verdict
  const passed = checks.filter((each) => each.passed).length
  const [tone, text] = summaryOf(verdict)
  return (
    <Section title={`${passed} of ${checks.length} checks passed`} aside={<Light tone={tone} text={text} />}>
      <p>
        {!structurallyValid ? (
          'It was not attached to your agent. The checks below say why.'
        ) : isHosted ? (
          <>
            It is shown on the page of <Link href={`/agents/${agent.pda}`}>{agent.name}</Link>.
          </>
        ) : (
          'It was only checked. To show it on the page of your agent, host it and verify its URL.'
        )}
      </p>
      <Facts
        facts={{
          Type: type === '' ? 'None' : words(type),
          Issuer: issuer === '' ? 'None' : <Address value={issuer} label="issuer" />,
          'Valid since': validFrom === null ? 'Not given' : <RelativeTime value={validFrom} />,
          Ends: validUntil === null ? 'Not given' : <RelativeTime value={validUntil} />,
        }}
      />
      <Checks
        checks={checks.map(({ check: name, passed, detail }) =>
          check(
            CHECKS[name].title,
            passed,
            passed ? (
              `Result: ${detail}`
            ) : (
              <>
                <p className="hint">{CHECKS[name].text}</p>
                <p>Problem: {detail}</p>
                <p>{CHECKS[name].advice}</p>
              </>
            ),
          ),
        )}
      />
    </Section>
  )
}

function summaryOf({ structurallyValid, proofVerified, checks }: Result): [tone: Tone, text: string] {
  if (!structurallyValid) return ['bad', 'Not valid']
  const isTrusted = checks.some(({ check, passed }) => check === 'PROOF_VERIFIED' && passed)
  if (isTrusted && !proofVerified) return ['bad', 'Revoked, suspended or of unknown status']
  return proofVerified ? ['good', 'Valid and trusted'] : ['warn', 'Valid, but not trusted']
}
