import { useAction } from '../../form/use-action.tsx'
import { Button, type Columns, Facts, Section, Table } from '../../ui/index.ts'
import { Address, Badge, RelativeTime, withCommas, words } from '../../ui/values.ts'
import { type OperatorPartsFragment, RetryDeadLetterDocument } from './page.generated.ts'
import type { PartProps } from './page.tsx'

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

type Failing = OperatorPartsFragment['webhooks']['failing'][number]

const FAILING: Columns<Failing> = {
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
  const { busy, outcome, run } = useAction()
  const retry = (id: string): void => void run(RetryDeadLetterDocument, { id }, () => RETRIED)
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
      {outcome}
      <Table
        caption="Records not understood"
        columns={columnsOf(busy, retry)}
        numbers={['Slot']}
        rows={deadLetters}
        keyOf={({ id }) => id}
        empty="Everything was read."
      />
    </Section>
  )
}

type DeadLetter = OperatorPartsFragment['deadLetters'][number]

const columnsOf = (busy: boolean, retry: (id: string) => void): Columns<DeadLetter> => ({
  What: ({ kind }) => words(kind),
  Why: ({ reason }) => reason,
  Where: ({ signature, account }) =>
    signature !== null ? (
      <Address value={signature} label="transaction" />
    ) : account !== null ? (
      <Address value={account} label="account" />
    ) : (
      '–'
    ),
  Slot: ({ slot }) => withCommas(slot),
  Found: ({ createdAt }) => <RelativeTime value={createdAt} />,
  Retry: ({ id, canRetry, retryRequestedAt }) =>
    !canRetry ? (
      '–'
    ) : retryRequestedAt !== null ? (
      'Requested'
    ) : (
      <Button small busy={busy} onClick={() => retry(id)} aria-label={`Retry ${id}`}>
        Retry
      </Button>
    ),
})
