import { useState } from 'react'
import { Form } from '../../form/form.tsx'
import {
  Badge,
  Button,
  CodeBlock,
  type Columns,
  Confirm,
  Input,
  RelativeTime,
  Section,
  Select,
  Table,
} from '../../ui/index.ts'
import { useAction } from '../../form/use-action.tsx'
import {
  CreateInviteCodeDocument,
  type OperatorPartsFragment,
  RevokeInviteCodeDocument,
} from './page.generated.ts'

type Code = OperatorPartsFragment['inviteCodes'][number]

interface InviteCodesProps {
  readonly codes: readonly Code[]
  readonly onChange: () => void
}

const DAY_MS = 86_400_000
const EXPIRY = [
  { value: '7', label: 'After a week' },
  { value: '30', label: 'After 30 days' },
  { value: '', label: 'Never' },
]

/** Creates and revokes codes. Each registration with one costs the fee payer money. */
export function InviteCodes({ codes, onChange }: InviteCodesProps) {
  const { busy, outcome, run } = useAction()
  const [uses, setUses] = useState('1')
  const [days, setDays] = useState('7')
  const [asked, setAsked] = useState<string | null>(null)
  const [created, setCreated] = useState<string | null>(null)
  const maxUses = /^(?:[1-9]\d{0,5}|1000000)$/.test(uses) ? Number(uses) : null
  const create = (): void => {
    if (maxUses === null) return
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    void run(CreateInviteCodeDocument, { maxUses, expiresAt }, (result) => {
      setCreated(result.createInviteCode.code)
      onChange()
      return 'The code was created. It is shown only now.'
    })
  }
  const revoke = (id: string): void => {
    setAsked(null)
    setCreated(null)
    void run(RevokeInviteCodeDocument, { id }, () => {
      onChange()
      return `The code ${id} was revoked.`
    })
  }
  return (
    <Section title="Invite codes" lead="The list has the beginning of each code’s hash, not the code.">
      <Form label="New invite code" onSubmit={create}>
        <div className="row">
          <Input
            label="Registrations"
            inputMode="numeric"
            value={uses}
            error={maxUses === null ? 'Enter a whole number from 1 to 1,000,000.' : null}
            onChange={({ target }) => setUses(target.value.trim())}
          />
          <Select
            label="Expires"
            options={EXPIRY}
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
          <Button look="primary" type="submit" busy={busy}>
            Create code
          </Button>
        </div>
      </Form>
      {outcome}
      {created !== null && <CodeBlock label="New invite code" code={created} />}
      <Table
        caption="Invite codes"
        columns={columnsOf(busy, setAsked)}
        rows={codes.toReversed()}
        keyOf={({ id }) => id}
        empty="There are no codes."
      />
      <Confirm
        question={
          asked === null
            ? null
            : {
                title: `Revoke ${asked}?`,
                text: 'Prepared registrations that were not submitted become invalid. This cannot be undone.',
                label: 'Revoke code',
              }
        }
        onConfirm={() => asked !== null && revoke(asked)}
        onClose={() => setAsked(null)}
      />
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
