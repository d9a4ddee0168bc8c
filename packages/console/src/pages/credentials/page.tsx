import { Empty, Page } from '../../ui/index.ts'

export default function CredentialsPage() {
  return (
    <Page title="Verify a credential">
      <Empty title="Coming" />
    </Page>
  )
}
