import { Empty, Page } from '../../ui/index.ts'
import { NeedsAccount } from '../../wallet/needs-account.tsx'

export default function WebhooksPage() {
  return (
    <Page title="Webhooks">
      <NeedsAccount need="session" why="Sign in to manage your webhooks">
        {() => <Empty title="Coming" />}
      </NeedsAccount>
    </Page>
  )
}
