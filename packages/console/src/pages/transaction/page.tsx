import { Empty, Page } from '../../ui/index.ts'

export default function TransactionPage() {
  return (
    <Page title="Transaction">
      <Empty title="Coming" />
    </Page>
  )
}
