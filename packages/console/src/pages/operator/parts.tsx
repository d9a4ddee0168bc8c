import { Form } from '../../form/form.tsx'
import { type Action, useAction } from '../../form/use-action.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { Histogram } from '../../ui/histogram.tsx'
import { Button, CodeBlock, type Columns, Facts, Input, Section, Select, Table } from '../../ui/index.ts'
import { Address, Amount, Badge, formatUnits, Light, RelativeTime, Status } from '../../ui/values.ts'
import { withCommas, words } from '../../ui/values.ts'
import {
  CreateInviteCodeDocument,
  type OperatorPageQuery,
  RetryDeadLetterDocument,
  RevokeInviteCodeDocument,
  SetIssuerEnabledDocument,
} from './page.generated.ts'

interface PartProps {
  readonly data: OperatorPageQuery
}

type Operator = OperatorPageQuery['operator']

const sol = (lamports: number): string => `${formatUnits(BigInt(lamports), 9)} SOL`

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

const REGISTRATIONS: Columns<Operator['sponsorship']['newest'][number]> = {
  Agent: ({ agentPda }) => <Address value={agentPda} label="agent address" />,
  Owner: ({ wallet }) => <Address value={wallet} label="owner" />,
  State: ({ state }) => <Status value={state} />,
  Cost: ({ spentLamports }) =>
    spentLamports === null ? 'Not known' : <Amount value={spentLamports} unit="sol" />,
  Signed: ({ createdAt }) => <RelativeTime value={createdAt} />,
}

/** Deliveries that wait, and webhooks that fail. */
export function Deliveries({ data }: PartProps) {
  const { active, paused, disabled, pending, retrying, oldestDueSeconds, lastHour, failing } =
    data.operator.webhooks
  return (
    <Section title="Webhooks" lead="Of all wallets. Their URLs are not shown: they can contain secrets.">
      <Facts
        facts={[
          ['Active', withCommas(active)],
          ['Paused', withCommas(paused)],
          ['Disabled', withCommas(disabled)],
          ['Deliveries waiting', withCommas(pending)],
          ['Deliveries to repeat', withCommas(retrying)],
          ['Oldest that is due', oldestDueSeconds === null ? 'None' : `${withCommas(oldestDueSeconds)} s`],
          ...lastHour.map(
            ({ outcome, attempts }) => [`${words(outcome)}, last hour`, withCommas(attempts)] as const,
          ),
        ]}
      />
      <Table
        caption="Failing webhooks"
        columns={FAILING}
        rows={failing}
        keyOf={({ id }) => id}
        empty="No receiver fails."
      />
    </Section>
  )
}

const FAILING: Columns<Operator['webhooks']['failing'][number]> = {
  Host: ({ host }) => host ?? 'Not known',
  Owner: ({ wallet }) => <Address value={wallet} label="owner" />,
  State: ({ disabledReason, pausedUntil }) =>
    disabledReason !== null ? (
      <Badge tone="bad">Disabled: {words(disabledReason).toLowerCase()}</Badge>
    ) : (
      <Badge tone="warn">
        {pausedUntil !== null && Date.parse(pausedUntil) > Date.now() ? 'Paused' : 'Failing'}
      </Badge>
    ),
  Since: ({ failingSince }) => (failingSince === null ? '–' : <RelativeTime value={failingSince} />),
}

const RETRIED =
  'The ledger nodes are asked again within ten seconds. If it stays in the list, none of them serves it.'

/** How old the tables are, and what could not be read. */
export function Indexer({ data }: PartProps) {
  const action = useAction()
  const { phase, lagSeconds, deadLetters: all } = data.detailedHealth.indexer
  const { deadLetters } = data.operator
  return (
    <Section
      title="Indexer"
      lead={
        deadLetters.length > 0 &&
        'Missing transactions and history are also requested every minute. For those without a button, upgrade the gateway and run rebuild.'
      }
    >
      <Facts
        facts={{
          Phase: words(phase),
          'Behind by': lagSeconds === null ? 'Not known' : `${withCommas(lagSeconds)} s`,
          'Records not understood':
            all === null ? 'Not known' : withCommas(Math.max(all, deadLetters.length)),
        }}
      />
      {action.outcome}
      <Table
        caption="Records not understood"
        columns={lettersOf(action)}
        numbers={['Slot']}
        rows={deadLetters}
        keyOf={({ id }) => id}
        empty="Everything was read."
      />
    </Section>
  )
}

const lettersOf = ({ busy, run }: Action): Columns<Operator['deadLetters'][number]> => ({
  What: ({ kind }) => words(kind),
  Why: ({ reason }) => reason,
  Where: ({ signature, account }) => {
    const place = signature ?? account
    return place === null ? '–' : <Address value={place} label={signature ? 'transaction' : 'account'} />
  },
  Slot: ({ slot }) => withCommas(slot),
  Found: ({ createdAt }) => <RelativeTime value={createdAt} />,
  Retry: ({ id, canRetry, retryRequestedAt }) =>
    !canRetry ? (
      '–'
    ) : retryRequestedAt !== null ? (
      'Requested'
    ) : (
      <Button
        small
        busy={busy}
        onClick={() => run(RetryDeadLetterDocument, { id }, () => RETRIED)}
        aria-label={`Retry ${id}`}
      >
        Retry
      </Button>
    ),
})

type Code = Operator['inviteCodes'][number]

const MAX_USES = /^(?:[1-9]\d{0,5}|1000000)$/
const DAY_MS = 86_400_000
const EXPIRY = [
  { value: '7', label: 'After a week' },
  { value: '30', label: 'After 30 days' },
  { value: '', label: 'Never' },
]

/** Creates and revokes codes. Each registration with one costs the fee payer money. */
export function InviteCodes({ data }: PartProps) {
  const action = useAction()
  const { draft, field, submit } = useDraft({ uses: '1', days: '7' }, ({ uses }) => ({
    uses: MAX_USES.test(uses.trim()) ? null : 'Enter a whole number from 1 to 1,000,000.',
  }))
  const create = (): void => {
    const expiresAt = draft.days && new Date(Date.now() + Number(draft.days) * DAY_MS).toISOString()
    const variables = { maxUses: Number(draft.uses), expiresAt: expiresAt || null }
    action.run(CreateInviteCodeDocument, variables, ({ createInviteCode: { code } }) => (
      <>
        The code was created. It is shown only now.
        <CodeBlock label="New invite code" code={code} />
      </>
    ))
  }
  return (
    <Section title="Invite codes" lead="The list has the beginning of each code’s hash, not the code.">
      <Form label="New invite code" onSubmit={() => submit(create)}>
        <div className="row">
          <Input label="Registrations" inputMode="numeric" {...field('uses')} />
          <Select label="Expires" options={EXPIRY} {...field('days')} />
          <Button look="primary" type="submit" busy={action.busy}>
            Create code
          </Button>
        </div>
      </Form>
      {action.outcome}
      <Table
        caption="Invite codes"
        columns={codesOf(action)}
        rows={data.operator.inviteCodes.toReversed()}
        keyOf={({ id }) => id}
        empty="There are no codes."
      />
    </Section>
  )
}

const codesOf = ({ ask, busy, run }: Action): Columns<Code> => ({
  Code: ({ id }) => <code>{id}…</code>,
  Used: ({ uses, maxUses }) => `${uses} of ${maxUses}`,
  State: stateOf,
  Created: ({ createdAt }) => <RelativeTime value={createdAt} />,
  Change: ({ id, revokedAt }) => {
    if (revokedAt !== null) return '–'
    const question = {
      title: `Revoke ${id}?`,
      text: 'Prepared registrations that were not submitted become invalid. This cannot be undone.',
      label: 'Revoke code',
      onConfirm: () => run(RevokeInviteCodeDocument, { id }, () => `The code ${id} was revoked.`),
    }
    return (
      <Button small look="danger" busy={busy} onClick={() => ask(question)} aria-label={`Revoke ${id}`}>
        Revoke
      </Button>
    )
  },
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

/** Stops trusting an issuer, and trusts it again. */
export function Issuers({ data }: PartProps) {
  const action = useAction()
  return (
    <Section
      title="Trusted issuers"
      lead="A change applies within a second, also to credentials that are listed. Add an issuer with the command issuer add."
    >
      {action.outcome}
      <Table
        caption="Trusted issuers"
        columns={issuersOf(action)}
        rows={data.operator.issuers}
        keyOf={({ did }) => did}
        empty="There are no trusted issuers."
      />
    </Section>
  )
}

const issuersOf = ({ ask, busy, run }: Action): Columns<Operator['issuers'][number]> => ({
  Issuer: ({ did }) => <code>{did}</code>,
  'May issue': ({ allowedTypes }) =>
    allowedTypes.map((type) => words(type.replace(/Credential$/, ''))).join(', ') || 'Every type',
  State: ({ enabled }) => (
    <Badge tone={enabled ? 'good' : 'bad'}>{enabled ? 'Trusted' : 'Not trusted'}</Badge>
  ),
  Change: ({ did, enabled }) => {
    const change = (): void =>
      run(SetIssuerEnabledDocument, { did, enabled: !enabled }, () =>
        enabled ? `${did} is not trusted any more.` : `${did} is trusted again.`,
      )
    const question = {
      title: `Stop trusting ${did}?`,
      text: 'Its credentials are not verified any more, also those that are listed. You can trust it again.',
      label: 'Stop trusting',
      onConfirm: change,
    }
    return (
      <Button
        small
        look={enabled ? 'danger' : 'plain'}
        busy={busy}
        aria-label={`${enabled ? 'Stop trusting' : 'Trust'} ${did}`}
        onClick={() => (enabled ? ask(question) : change())}
      >
        {enabled ? 'Stop trusting' : 'Trust again'}
      </Button>
    )
  },
})
