import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { Provider } from 'urql'
import { createApiClient } from '../../api/client.ts'
import { readError } from '../../api/errors.ts'
import { readOperatorToken, storeOperatorToken } from '../../api/token.ts'
import { Form } from '../../form/form.tsx'
import { useAction } from '../../form/use-action.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { Button, Confirm, Input, keepFocus, Page, type Question, Section } from '../../ui/index.ts'
import { ErrorState, Loading, useRead } from '../../ui/reads.ts'
import { type Columns, Table } from '../../ui/table.tsx'
import { Badge, words } from '../../ui/values.ts'
import { Deliveries, Indexer } from './deliveries.tsx'
import {
  OperatorPageDocument,
  type OperatorPageQuery,
  type OperatorPartsFragment,
  SetIssuerEnabledDocument,
} from './page.generated.ts'
import { InviteCodes, Money } from './sponsorship.tsx'

const REFRESH_MS = 15_000

/** What only the operator may see and change. The token stays in this tab. */
export default function OperatorPage() {
  const [token, setToken] = useState(readOperatorToken)
  const [isRefused, setRefused] = useState(false)
  const keep = (next: string | null, refused = false): void => {
    storeOperatorToken(next)
    setToken(next)
    setRefused(refused)
  }
  useEffect(keepFocus, [token])
  // One of its own: what the operator may read, the wallet of this tab must not find.
  const client = useMemo(() => (token === null ? null : createApiClient(token)), [token])
  return (
    <Page
      title="Operator"
      lead="Money, deliveries, invite codes and issuers of this gateway. The page is updated every 15 seconds."
      request={{ needsSession: true, document: OperatorPageDocument }}
      actions={token !== null && <Button onClick={() => keep(null)}>Forget the token</Button>}
    >
      {client === null ? (
        <TokenForm isRefused={isRefused} onToken={keep} />
      ) : (
        <Provider key={token} value={client}>
          <Parts onRefused={() => keep(null, true)} />
        </Provider>
      )}
    </Page>
  )
}

interface TokenFormProps {
  /** Whether the gateway refused the one before. */
  readonly isRefused: boolean
  readonly onToken: (token: string) => void
}

function TokenForm({ isRefused, onToken }: TokenFormProps) {
  const { draft, field, submit } = useDraft({ token: '' }, ({ token }) => ({
    token: /^[\x21-\x7e]{32,}$/.test(token.trim())
      ? null
      : 'A token has at least 32 characters and no spaces.',
  }))
  return (
    <Section
      title="Your token"
      lead="The value of OPERATOR_TOKEN. A localnet has it in the file operator-token of its data folder. This tab keeps it until you close it."
    >
      <Form label="Token of the operator" onSubmit={() => submit(() => onToken(draft.token.trim()))}>
        <Input label="Token" type="password" {...field('token')} />
        {isRefused && (
          <p role="alert" className="bad">
            The gateway refused this token. Without the setting OPERATOR_TOKEN, it refuses every token.
          </p>
        )}
        <Button look="primary" type="submit">
          Open
        </Button>
      </Form>
    </Section>
  )
}

export interface PartProps {
  readonly data: OperatorPageQuery
}

function Parts({ onRefused }: { readonly onRefused: () => void }) {
  const { data, error, again: refresh } = useRead({ query: OperatorPageDocument }, { everyMs: REFRESH_MS })
  const isRefused = error !== undefined && readError(error).code === 'OPERATOR_FORBIDDEN'
  const leave = useEffectEvent(onRefused)
  useEffect(() => {
    if (isRefused) leave()
  }, [isRefused])
  if (data == null)
    return error === undefined ? (
      <Loading label="Loading the state of the gateway" />
    ) : (
      <ErrorState error={error} retry={refresh} />
    )
  return (
    <div className="stack">
      {error !== undefined && <ErrorState error={error} retry={refresh} />}
      <Money data={data} />
      <Deliveries data={data} />
      <Indexer data={data} />
      <InviteCodes data={data} />
      <Issuers data={data} />
    </div>
  )
}

type Issuer = OperatorPartsFragment['issuers'][number]

/** Stops trusting an issuer, and trusts it again. */
function Issuers({ data }: PartProps) {
  const { busy, outcome, run } = useAction()
  const [question, setQuestion] = useState<Question | null>(null)
  const setEnabled = (did: string, enabled: boolean): void =>
    void run(SetIssuerEnabledDocument, { did, enabled }, () =>
      enabled ? `${did} is trusted again.` : `${did} is not trusted any more.`,
    )
  const ask = (did: string): void =>
    setQuestion({
      title: `Stop trusting ${did}?`,
      text: 'Its credentials are not verified any more, also those that are listed. You can trust it again.',
      label: 'Stop trusting',
      onConfirm: () => setEnabled(did, false),
    })
  return (
    <Section
      title="Trusted issuers"
      lead="A change applies within a second, also to credentials that are listed. Add an issuer with the command issuer add."
    >
      {outcome}
      <Table
        caption="Trusted issuers"
        columns={columnsOf(busy, (did, enabled) => (enabled ? setEnabled(did, true) : ask(did)))}
        rows={data.operator.issuers}
        keyOf={({ did }) => did}
        empty="There are no trusted issuers."
      />
      <Confirm question={question} onClose={() => setQuestion(null)} />
    </Section>
  )
}

const columnsOf = (busy: boolean, setEnabled: (did: string, enabled: boolean) => void): Columns<Issuer> => ({
  Issuer: ({ did }) => <code>{did}</code>,
  'May issue': ({ allowedTypes }) =>
    allowedTypes.map((type) => words(type.replace(/Credential$/, ''))).join(', ') || 'Every type',
  State: ({ enabled }) => (
    <Badge tone={enabled ? 'good' : 'bad'}>{enabled ? 'Trusted' : 'Not trusted'}</Badge>
  ),
  Change: ({ did, enabled }) => (
    <Button
      small
      look={enabled ? 'danger' : 'plain'}
      busy={busy}
      aria-label={`${enabled ? 'Stop trusting' : 'Trust'} ${did}`}
      onClick={() => setEnabled(did, !enabled)}
    >
      {enabled ? 'Stop trusting' : 'Trust again'}
    </Button>
  ),
})
