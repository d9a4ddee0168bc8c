import { useQuery } from 'urql'
import { readError } from '../../api/errors.ts'
import { Input, useDebounced } from '../../ui/index.ts'
import type { DraftField } from '../../form/use-draft.ts'
import { InviteCodeDocument } from './page.generated.ts'

interface InviteCodeProps {
  readonly wallet: string
  readonly field: DraftField
}

const WAIT_MS = 300

/** An invite code, checked while it is typed. The check takes nothing. */
export function InviteCode({ wallet, field }: InviteCodeProps) {
  const code = field.value.trim()
  const typed = useDebounced(code, WAIT_MS)
  const [{ data, error: failure, fetching }] = useQuery({
    query: InviteCodeDocument,
    variables: { wallet, code: typed },
    pause: typed === '',
    requestPolicy: 'network-only',
  })
  const isCurrent = typed !== '' && typed === code && !fetching
  const { eligible = false, reason = null } = (isCurrent && data?.eligibility) || {}
  const problem = isCurrent && failure ? readError(failure).message : isCurrent ? reason : null
  return (
    <>
      <Input
        label="Invite code"
        autoCapitalize="characters"
        spellCheck="false"
        placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
        {...field}
        error={problem ?? field.error}
      />
      <p role="status" className="note good">
        {isCurrent && eligible ? 'This code works. The gateway pays for the registration.' : ''}
      </p>
    </>
  )
}
