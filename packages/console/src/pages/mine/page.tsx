import { Empty, Page } from '../../ui/index.ts'

export default function MinePage() {
  return (
    <Page title="My agent">
      <Empty title="Coming" />
    </Page>
  )
}
