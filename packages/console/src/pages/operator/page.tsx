import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { Provider } from 'urql'
import { createApiClient } from '../../api/client.ts'
import { readError } from '../../api/errors.ts'
import { readOperatorToken, storeOperatorToken } from '../../api/token.ts'
import { Form } from '../../form/form.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { Button, Input, keepFocus, Page, Section } from '../../ui/index.ts'
import { Loaded, useRead } from '../../ui/reads.ts'
import { OperatorPageDocument } from './page.generated.ts'
import { Deliveries, Indexer, InviteCodes, Issuers, Money } from './parts.tsx'

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

function Parts({ onRefused }: { readonly onRefused: () => void }) {
  const read = useRead({ query: OperatorPageDocument }, { everyMs: REFRESH_MS, keep: true })
  const { lastError } = read
  const isRefused = lastError !== undefined && readError(lastError).code === 'OPERATOR_FORBIDDEN'
  const leave = useEffectEvent(onRefused)
  useEffect(() => {
    if (isRefused) leave()
  }, [isRefused])
  return (
    <Loaded read={read} data={read.data} rows={8} label="Loading the state of the gateway">
      {(data) => (
        <div className="stack">
          <Money data={data} />
          <Deliveries data={data} />
          <Indexer data={data} />
          <InviteCodes data={data} />
          <Issuers data={data} />
        </div>
      )}
    </Loaded>
  )
}
