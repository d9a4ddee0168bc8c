import { Empty, Page } from '../../ui/index.ts'

export default function WebhookPage() {
  return (
    <Page title="Webhook">
      <Empty title="Coming" />
    </Page>
  )
}
