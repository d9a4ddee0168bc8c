import { useMutation } from 'urql'
import { Button, DialogButton } from '../../ui/index.ts'
import { WebhookForm } from '../webhooks/webhook-form.tsx'
import {
  UpdateWebhookDocument,
  type UpdateWebhookInput,
  type WebhookDetailsFragment,
} from './page.generated.ts'

interface EditWebhookProps {
  readonly webhook: WebhookDetailsFragment
}

/** Changes the URL, the agent and the events. The secret and the log stay. */
export const EditWebhook = ({ webhook }: EditWebhookProps) => (
  <DialogButton small label="Edit" title="Edit the webhook">
    {(close) => <EditForm webhook={webhook} onDone={close} />}
  </DialogButton>
)

function EditForm({ webhook, onDone }: EditWebhookProps & { readonly onDone: () => void }) {
  const { id, url, eventTypes: types, filterAgentPda } = webhook
  const [{ error, fetching }, update] = useMutation(UpdateWebhookDocument)
  const submit = async (input: UpdateWebhookInput): Promise<void> => {
    const result = await update({ id, input })
    if (result.error === undefined) onDone()
  }
  return (
    <WebhookForm
      label="Edit the webhook"
      action="Save"
      given={{ url, agent: filterAgentPda ?? '', types }}
      isEdited
      busy={fetching}
      error={error}
      onSubmit={(input) => void submit(input)}
    >
      <Button onClick={onDone}>Cancel</Button>
    </WebhookForm>
  )
}
