import { Empty, Page } from '../../ui/index.ts'

export default function AgentPage() {
  return (
    <Page title="Agent">
      <Empty title="Coming" />
    </Page>
  )
}
