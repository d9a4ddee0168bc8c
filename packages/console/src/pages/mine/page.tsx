import { Empty, Page } from '../../ui/index.ts'
import { NeedsAccount } from '../../wallet/needs-account.tsx'

export default function MinePage() {
  return (
    <Page title="My agent">
      <NeedsAccount need="wallet" why="Connect the wallet of your agent">
        {() => <Empty title="Coming" />}
      </NeedsAccount>
    </Page>
  )
}
