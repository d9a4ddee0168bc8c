import { Empty, Page } from '../../ui/index.ts'

export default function RegisterPage() {
  return (
    <Page title="Register an agent">
      <Empty title="Coming" />
    </Page>
  )
}
