import { useQuery } from 'urql'
import { readError } from '../../api/errors.ts'
import { Input, useDebounced } from '../../ui/index.ts'
import { InviteCodeDocument } from './page.generated.ts'

interface InviteCodeProps {
  readonly wallet: string
  readonly code: string
  readonly onChange: (code: string) => void
  readonly error: string | null
}

const WAIT_MS = 300

/** An invite code, checked while it is typed. The check takes nothing. */
export function InviteCode({ wallet, code, onChange, error }: InviteCodeProps) {
  const typed = useDebounced(code.trim(), WAIT_MS)
  const [{ data, error: failure, fetching }] = useQuery({
    query: InviteCodeDocument,
    variables: { wallet, code: typed },
    pause: typed === '',
    requestPolicy: 'network-only',
  })
  const isCurrent = typed !== '' && typed === code.trim() && !fetching
  const { eligible = false, reason = null } = (isCurrent && data?.eligibility) || {}
  const problem = isCurrent && failure ? readError(failure).message : isCurrent ? reason : null
  return (
    <>
      <Input
        label="Invite code"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck="false"
        placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
        value={code}
        error={problem ?? error}
        onChange={({ target }) => onChange(target.value)}
      />
      <p role="status" className="note good">
        {isCurrent && eligible ? 'This code works. The gateway pays for the registration.' : ''}
      </p>
    </>
  )
}
