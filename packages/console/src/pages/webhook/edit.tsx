import { useState } from 'react'
import { useMutation } from 'urql'
import { Form } from '../../form/form.tsx'
import { Button, Dialog, ErrorState } from '../../ui/index.ts'
import { isComplete, type WebhookDraft, WebhookFields } from '../webhooks/fields.tsx'
import { UpdateWebhookDocument, type WebhookDetailsFragment } from './page.generated.ts'

interface EditProps {
  readonly webhook: WebhookDetailsFragment
}

/** Changes the URL, the agent and the events. The secret and the log stay. */
export function EditWebhook({ webhook }: EditProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Edit
      </Button>
      <Dialog title="Edit the webhook" open={open} onClose={() => setOpen(false)}>
        <EditForm webhook={webhook} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function EditForm({ webhook, onClose }: EditProps & { readonly onClose: () => void }) {
  const { id, url, eventTypes, filterAgentPda } = webhook
  const [draft, setDraft] = useState<WebhookDraft>({ url, agent: filterAgentPda ?? '', types: eventTypes })
  const [isChecked, setChecked] = useState(false)
  const [{ error, fetching }, update] = useMutation(UpdateWebhookDocument)
  const submit = async (): Promise<void> => {
    setChecked(true)
    if (!isComplete(draft)) return
    const input = {
      url: draft.url.trim(),
      eventTypes: [...draft.types],
      filterAgentPda: draft.agent.trim() === '' ? null : draft.agent.trim(),
    }
    const result = await update({ id, input })
    if (result.error === undefined) onClose()
  }
  return (
    <Form label="Edit the webhook" onSubmit={() => void submit()}>
      <WebhookFields draft={draft} onChange={setDraft} isChecked={isChecked} />
      {draft.url.trim() !== url && (
        <p className="hint" role="status">
          Deliveries that wait for the old URL are cancelled. The secret stays the same.
        </p>
      )}
      {error !== undefined && <ErrorState error={error} />}
      <div className="row">
        <Button type="submit" look="primary" busy={fetching}>
          Save
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Form>
  )
}
