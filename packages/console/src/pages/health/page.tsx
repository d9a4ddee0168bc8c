import { Empty, Page } from '../../ui/index.ts'

export default function HealthPage() {
  return (
    <Page title="Service health">
      <Empty title="Coming" />
    </Page>
  )
}
