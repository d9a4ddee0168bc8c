import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { deliveryTitle, EVENT_TYPES, eventTitle } from '../../events/types.ts'
import { Button, Input, optionsOf, Pager, PERIODS, Section, Select, usePlace } from '../../ui/index.ts'
import { Empty, Loaded, useRead, useTyped } from '../../ui/reads.ts'
import { type Columns, Table } from '../../ui/table.tsx'
import { Link, plural, RelativeTime, Status } from '../../ui/values.ts'
import { Export } from '../../ui/export.tsx'
import { checkAgent } from '../../form/checks.ts'
import { withFilter } from '../agents/filters.ts'
import { FINISHED, responseOf } from '../delivery/page.tsx'
import {
  type DeliveryFieldsFragment,
  RecoverWebhookDocument,
  type WebhookDeliveryFilter,
  WebhookLogDocument,
} from './page.generated.ts'
import { useAction } from '../../form/use-action.tsx'

const PAGE_SIZE = 25
const REFRESH_MS = 5_000
const TYPING_MS = 300

const STATUSES = ['PENDING', 'IN_FLIGHT', 'RETRYING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const
const TYPES = [...EVENT_TYPES, 'PING'] as const
const HOUR_MS = 3_600_000

/** The filter of the search parameters, chosen at this time. Unknown values are ignored. */
function readFilter(search: URLSearchParams, chosenAt: number): WebhookDeliveryFilter | undefined {
  const until = Date.parse(search.get('until') ?? '')
  const hours = PERIODS.find(({ value }) => value === search.get('hours'))?.value
  const statuses = STATUSES.filter((each) => each === search.get('status'))
  const eventTypes = TYPES.filter((each) => each === search.get('event'))
  const agentPda = search.get('agent')
  const filter = {
    ...(statuses.length > 0 && { statuses }),
    ...(eventTypes.length > 0 && { eventTypes }),
    ...(agentPda !== null && { agentPda }),
    ...(hours !== undefined && { since: new Date(chosenAt - Number(hours) * HOUR_MS).toISOString() }),
    ...(!Number.isNaN(until) && { until: new Date(until).toISOString() }),
  }
  return Object.keys(filter).length > 0 ? filter : undefined
}

/** Its filter is in the address, so that it is the same after the way back from a delivery. */
export function DeliveryLog({ id }: { readonly id: string }) {
  const [search, setSearch] = useSearchParams()
  const [chosenAt, setChosenAt] = useState(Date.now)
  const filter = readFilter(search, chosenAt)
  const problem = checkAgent(filter?.agentPda ?? '')
  const isValid = problem === null
  const [place, setPlace] = usePlace(PAGE_SIZE)
  const variables = { id, filter, ...place }
  const read = useRead(
    { query: WebhookLogDocument, variables, pause: !isValid },
    { everyMs: isValid ? REFRESH_MS : null },
  )
  const list = read.data?.webhookDeliveries
  const change = (name: string, value: string): void => {
    setSearch((now) => withFilter(now, { [name]: value }), { replace: true })
    setChosenAt(Date.now())
    setPlace({})
  }
  return (
    <Section
      title="Deliveries"
      lead="One line for each event, newest first. Open one to see its attempts and to send it again."
    >
      <LogFilters search={search} onChange={change} problem={problem} />
      <SendAgain
        key={JSON.stringify(filter)}
        id={id}
        filter={filter}
        isEmpty={!isValid || list?.totalCount === 0}
        onSent={read.again}
      />
      {isValid && (
        <Loaded read={read} data={list} rows={4} label="Loading the deliveries">
          {({ nodes, totalCount, pageInfo }) =>
            nodes.length === 0 ? (
              <Empty title={filter === undefined ? 'No deliveries yet' : 'No delivery matches'}>
                <p>
                  {filter === undefined
                    ? 'Send a ping to test your receiver. Events appear here when they happen.'
                    : 'Choose another status, event, time or agent. Only the newest 10,000 deliveries are compared.'}
                </p>
              </Empty>
            ) : (
              <>
                <Table
                  caption="Deliveries"
                  columns={columns(id, search)}
                  rows={nodes}
                  keyOf={(row) => row.id}
                />
                <Pager text={plural(totalCount, 'delivery', 'deliveries')} page={pageInfo} onMove={setPlace}>
                  <Export name="deliveries" query={WebhookLogDocument} variables={{ id, filter }} />
                </Pager>
              </>
            )
          }
        </Loaded>
      )}
    </Section>
  )
}

interface LogFiltersProps {
  readonly search: URLSearchParams
  readonly onChange: (name: string, value: string) => void
  /** What is wrong with the agent. */
  readonly problem: string | null
}

const ALL = { value: '', label: 'All' }
const typeOption = (value: (typeof TYPES)[number]) => ({ value, label: eventTitle(value) })

function LogFilters({ search, onChange, problem }: LogFiltersProps) {
  const agent = useTyped(search.get('agent') ?? '', TYPING_MS, (text) => onChange('agent', text.trim()))
  const field = (name: string) => ({
    value: search.get(name) ?? '',
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(name, target.value),
  })
  return (
    <div className="row" role="group" aria-label="Filter deliveries">
      <Select label="Status" options={[ALL, ...optionsOf(STATUSES)]} {...field('status')} />
      <Select label="Event" options={[ALL, ...TYPES.map(typeOption)]} {...field('event')} />
      <Select label="Created" options={[{ value: '', label: 'Any time' }, ...PERIODS]} {...field('hours')} />
      <Input
        label="Agent"
        autoComplete="off"
        spellCheck="false"
        placeholder="Address of an agent"
        error={problem}
        {...agent}
      />
      <Input label="Created before" type="datetime-local" {...field('until')} />
    </div>
  )
}

const CHOOSE = 'Choose the status Success, Failed or Cancelled first.'
/** An hour less than the 14 days that the service accepts, because clocks differ. */
const MAX_HOURS = 14 * 24 - 1

interface SendAgainProps {
  readonly id: string
  readonly filter?: WebhookDeliveryFilter | undefined
  readonly isEmpty: boolean
  readonly onSent: () => void
}

/** Sends the deliveries of a filter again, in parts if there are many. */
function SendAgain({ id, filter, isEmpty, onSent }: SendAgainProps) {
  const { busy, done, problem, run } = useAction()
  const [rest, setRest] = useState<{ until: string; continueAfter: string | null } | null>(null)
  const statuses = filter?.statuses?.filter((status) => FINISHED.has(status)) ?? []
  const send = (): void => {
    const now = new Date().toISOString()
    const { eventTypes, agentPda } = filter ?? {}
    const end = filter?.until ?? now
    // Deliveries that were created since the first part, or succeeded again, are not sent.
    const { until, continueAfter } = rest ?? { until: end < now ? end : now, continueAfter: null }
    const since = filter?.since ?? new Date(Date.parse(until) - MAX_HOURS * HOUR_MS).toISOString()
    const variables = { id, since, until, statuses, eventTypes, agentPda, continueAfter }
    run(RecoverWebhookDocument, variables, ({ recoverWebhook }) => {
      const { recovered, more, last } = recoverWebhook
      setRest(more ? { until, continueAfter: last } : null)
      onSent()
      return `${sentAgain(recovered)}${more ? ' There are more: send again.' : ''}`
    })
  }
  if (isEmpty && done === null) return null
  return (
    <>
      <div className="row">
        <Button busy={busy} disabled={isEmpty || statuses.length === 0} onClick={send}>
          Send these again
        </Button>
        <span role="status" className="hint">
          {done ?? (statuses.length > 0 ? 'The oldest first, at most those of 14 days.' : CHOOSE)}
        </span>
      </div>
      {problem}
    </>
  )
}

export const sentAgain = (count: number): string =>
  `${plural(count, 'delivery is', 'deliveries are')} sent again.`

const columns = (id: string, search: URLSearchParams): Columns<DeliveryFieldsFragment> => ({
  Event: (row) => <Link href={`/webhooks/${id}/deliveries/${row.id}?${search}`}>{deliveryTitle(row)}</Link>,
  Status: ({ status }) => <Status value={status} />,
  Attempts: ({ attemptCount }) => attemptCount,
  'Last response': ({ attempts: [last] }) =>
    last === undefined
      ? 'None yet'
      : last.responseStatus
        ? `HTTP ${last.responseStatus}, ${last.durationMs} ms`
        : responseOf(last),
  Created: ({ createdAt }) => <RelativeTime value={createdAt} />,
})
