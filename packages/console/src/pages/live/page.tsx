import { Empty, Page } from '../../ui/index.ts'

export default function LivePage() {
  return (
    <Page title="Live events">
      <Empty title="Coming" />
    </Page>
  )
}
