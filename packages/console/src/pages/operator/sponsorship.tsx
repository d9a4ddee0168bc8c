import { useState } from 'react'
import { Form } from '../../form/form.tsx'
import { useAction } from '../../form/use-action.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { Histogram } from '../../ui/histogram.tsx'
import { Button, CodeBlock, Confirm, Facts, Input, type Question, Section, Select } from '../../ui/index.ts'
import { type Columns, Table } from '../../ui/table.tsx'
import { Address, Amount, Badge, formatUnits, Light, RelativeTime, Status } from '../../ui/values.ts'
import {
  CreateInviteCodeDocument,
  type OperatorPartsFragment,
  RevokeInviteCodeDocument,
} from './page.generated.ts'
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
        columns={REGISTRATIONS}
        numbers={['Cost']}
        rows={newest}
        keyOf={({ agentPda, createdAt }) => agentPda + createdAt}
        empty="No registration was sponsored yet. Create an invite code below, and give it to the owner of an agent."
      />
    </Section>
  )
}

type Registration = OperatorPartsFragment['sponsorship']['newest'][number]

const REGISTRATIONS: Columns<Registration> = {
  Agent: ({ agentPda }) => <Address value={agentPda} label="agent address" />,
  Owner: ({ wallet }) => <Address value={wallet} label="owner" />,
  State: ({ state }) => <Status value={state} />,
  Cost: ({ spentLamports }) =>
    spentLamports === null ? 'Not known' : <Amount value={spentLamports} unit="sol" />,
  Signed: ({ createdAt }) => <RelativeTime value={createdAt} />,
}

type Code = OperatorPartsFragment['inviteCodes'][number]

const DAY_MS = 86_400_000
const EXPIRY = [
  { value: '7', label: 'After a week' },
  { value: '30', label: 'After 30 days' },
  { value: '', label: 'Never' },
]

/** Creates and revokes codes. Each registration with one costs the fee payer money. */
export function InviteCodes({ data }: PartProps) {
  const { busy, outcome, run } = useAction()
  const { draft, field } = useDraft({ uses: '1', days: '7' })
  const [question, setQuestion] = useState<Question | null>(null)
  const [created, setCreated] = useState<string | null>(null)
  const { uses, days } = draft
  const maxUses = /^(?:[1-9]\d{0,5}|1000000)$/.test(uses.trim()) ? Number(uses) : null
  const create = (): void => {
    if (maxUses === null) return
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    void run(CreateInviteCodeDocument, { maxUses, expiresAt }, (result) => {
      setCreated(result.createInviteCode.code)
      return 'The code was created. It is shown only now.'
    })
  }
  const revoke = (id: string): void => {
    setCreated(null)
    void run(RevokeInviteCodeDocument, { id }, () => `The code ${id} was revoked.`)
  }
  const ask = (id: string): void =>
    setQuestion({
      title: `Revoke ${id}?`,
      text: 'Prepared registrations that were not submitted become invalid. This cannot be undone.',
      label: 'Revoke code',
      onConfirm: () => revoke(id),
    })
  return (
    <Section title="Invite codes" lead="The list has the beginning of each code’s hash, not the code.">
      <Form label="New invite code" onSubmit={create}>
        <div className="row">
          <Input
            label="Registrations"
            inputMode="numeric"
            {...field('uses')}
            error={maxUses === null ? 'Enter a whole number from 1 to 1,000,000.' : null}
          />
          <Select label="Expires" options={EXPIRY} {...field('days')} />
          <Button look="primary" type="submit" busy={busy}>
            Create code
          </Button>
        </div>
      </Form>
      {outcome}
      {created !== null && <CodeBlock label="New invite code" code={created} />}
      <Table
        caption="Invite codes"
        columns={columnsOf(busy, ask)}
        rows={data.operator.inviteCodes.toReversed()}
        keyOf={({ id }) => id}
        empty="There are no codes."
      />
      <Confirm question={question} onClose={() => setQuestion(null)} />
    </Section>
  )
}

const columnsOf = (busy: boolean, ask: (id: string) => void): Columns<Code> => ({
  Code: ({ id }) => <code>{id}…</code>,
  Used: ({ uses: used, maxUses: all }) => `${used} of ${all}`,
  State: stateOf,
  Created: ({ createdAt }) => <RelativeTime value={createdAt} />,
  Change: ({ id, revokedAt }) =>
    revokedAt === null ? (
      <Button small look="danger" busy={busy} onClick={() => ask(id)} aria-label={`Revoke ${id}`}>
        Revoke
      </Button>
    ) : (
      '–'
    ),
})

function stateOf({ revokedAt, expiresAt, uses, maxUses }: Code) {
  if (revokedAt !== null) return <Badge tone="bad">Revoked</Badge>
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return <Badge>Expired</Badge>
  if (uses >= maxUses) return <Badge>Used up</Badge>
  return (
    <>
      <Badge tone="good">Valid</Badge>
      {expiresAt !== null && (
        <>
          {' ends '}
          <RelativeTime value={expiresAt} />
        </>
      )}
    </>
  )
}
