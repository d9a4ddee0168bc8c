import { Empty, Page } from '../../ui/index.ts'

export default function DevelopersPage() {
  return (
    <Page title="Developers">
      <Empty title="Coming" />
    </Page>
  )
}
