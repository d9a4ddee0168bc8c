import { Empty, Page } from '../../ui/index.ts'

export default function WebhooksPage() {
  return (
    <Page title="Webhooks">
      <Empty title="Coming" />
    </Page>
  )
}
