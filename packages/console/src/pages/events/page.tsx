import { Empty, Page } from '../../ui/index.ts'

export default function EventsPage() {
  return (
    <Page title="Event types">
      <Empty title="Coming" />
    </Page>
  )
}
