import { Histogram } from '../../ui/histogram.tsx'
import { type Columns, Facts, Section, Table } from '../../ui/index.ts'
import { Address, Amount, formatUnits, Light, RelativeTime, Status } from '../../ui/values.ts'
import type { OperatorPartsFragment } from './page.generated.ts'
import type { PartProps } from './page.tsx'

const SOL_DECIMALS = 9
const sol = (lamports: number): string => `${formatUnits(BigInt(lamports), SOL_DECIMALS)} SOL`

/** What the fee payer has, may pay, and paid. */
export function Money({ data: { operator, detailedHealth } }: PartProps) {
  const { dailyBudgetLamports, minBalanceLamports, spentLamports, days, newest } = operator.sponsorship
  const { enabled, pubkey, balanceLamports } = detailedHealth.feePayer
  return (
    <Section
      title="Fee payer"
      aside={<Light tone={enabled ? 'good' : 'neutral'} text={enabled ? 'On' : 'Off'} />}
    >
      <div className="pair">
        <Facts
          facts={{
            Account: pubkey === null ? 'None' : <Address value={pubkey} label="fee payer" />,
            Balance: balanceLamports === null ? 'Not known' : <Amount value={balanceLamports} unit="sol" />,
            'Minimum balance': <Amount value={minBalanceLamports} unit="sol" />,
          }}
        />
        <div>
          <span id="budget">
            Budget of 24 hours: <Amount value={spentLamports} unit="sol" /> of{' '}
            <Amount value={dailyBudgetLamports} unit="sol" />
          </span>
          <meter
            style={{ width: '100%' }}
            aria-labelledby="budget"
            value={Number(spentLamports)}
            max={Number(dailyBudgetLamports)}
            high={0.8 * Number(dailyBudgetLamports)}
            optimum={0}
          />
        </div>
      </div>
      {days.some(({ lamports }) => lamports !== '0') && (
        <Histogram
          title="Paid per day"
          of="Day"
          unit="Paid"
          bars={days.map(({ day, lamports }) => ({ label: day, value: Number(lamports) }))}
          format={sol}
        />
      )}
      <Table
        caption="Newest sponsored registrations"
        columns={COLUMNS}
        numbers={['Cost']}
        rows={newest}
        keyOf={({ agentPda, createdAt }) => agentPda + createdAt}
        empty="No registration was sponsored yet. Create an invite code below, and give it to the owner of an agent."
      />
    </Section>
  )
}

type Registration = OperatorPartsFragment['sponsorship']['newest'][number]

const COLUMNS: Columns<Registration> = {
  Agent: ({ agentPda }) => <Address value={agentPda} label="agent address" />,
  Owner: ({ wallet }) => <Address value={wallet} label="owner" />,
  State: ({ state }) => <Status value={state} />,
  Cost: ({ spentLamports }) =>
    spentLamports === null ? 'Not known' : <Amount value={spentLamports} unit="sol" />,
  Signed: ({ createdAt }) => <RelativeTime value={createdAt} />,
}
