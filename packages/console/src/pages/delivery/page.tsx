import { Empty, Page } from '../../ui/index.ts'

export default function DeliveryPage() {
  return (
    <Page title="Delivery">
      <Empty title="Coming" />
    </Page>
  )
}
