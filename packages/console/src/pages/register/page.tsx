import { useEffect } from 'react'
import { useSearchParams } from 'wouter'
import { readError } from '../../api/errors.ts'
import { forgetDraft } from '../../form/use-draft.ts'
import { useLanded } from '../../transaction/provider.tsx'
import { WalletBalance } from '../../transaction/wallet-balance.tsx'
import { ButtonLink, Empty, ErrorState, Loading, Page, Section, useRead } from '../../ui/index.ts'
import { type Service, WithService } from '../../ui/service.tsx'
import { NeedsAccount } from '../../wallet/needs-account.tsx'
import { nextStep } from '../../routes.ts'
import { OwnAgentExistsDocument, PrepareRegistrationDocument } from './page.generated.ts'
import { draftOf, RegisterForm } from './register-form.tsx'

const EXAMPLE = `// \`wallet\` signs: see "Wallets" in the README of the client.
const { pda, transaction } = await registry.agents.register(
  { name: 'Weather Scout', category: 'research', cardUrl: 'https://example.org/card.json', card, inviteCode },
  wallet,
)`
const INPUT = {
  ownerPubkey: 'YOUR_WALLET',
  name: 'Weather Scout',
  serviceCategory: 'RESEARCH',
  agentCardUrl: 'https://example.org/card.json',
  agentCardHash: 'SHA256_OF_THE_CARD',
}

export default function RegisterPage() {
  return (
    <Page
      title="Register an agent"
      lead="An agent is an entry in the registry that belongs to one wallet. Others find it by its name, category and card."
      request={{ document: PrepareRegistrationDocument, variables: { input: INPUT }, client: EXAMPLE }}
    >
      <NeedsAccount need="wallet" why="Connect the wallet that will own the agent">
        {({ signer }) => (
          <WithService rows={6} label="Loading your wallet">
            {(service) => <Registration wallet={signer!.address} service={service} />}
          </WithService>
        )}
      </NeedsAccount>
    </Page>
  )
}

function Registration({ wallet, service }: { readonly wallet: string; readonly service: Service }) {
  const [search] = useSearchParams()
  const variables = { owner: wallet }
  const { data, error, fetching, again } = useRead({ query: OwnAgentExistsDocument, variables })
  useLanded(again)
  const agent = data?.agentByOwner
  useEffect(() => {
    if (agent) forgetDraft(draftOf(wallet))
  }, [agent, wallet])
  if (error !== undefined && readError(error).code !== 'AGENT_NOT_FOUND')
    return <ErrorState error={error} retry={again} />
  if (data === undefined && fetching) return <Loading rows={6} label="Loading your wallet" />
  if (agent)
    return (
      <Empty title={`This wallet has the agent ${agent.name}`}>
        <p>A wallet can own one agent. Connect another wallet to register another one.</p>
        <ButtonLink to="/mine" look="primary">
          Manage my agent
        </ButtonLink>
      </Empty>
    )
  return (
    <div className="columns">
      <Section title="The agent">
        <RegisterForm
          wallet={wallet}
          givenCode={search.get('code') ?? ''}
          prefersWallet={search.get('payer') === 'wallet'}
          service={service}
          next={nextStep(search) ?? { to: '/mine', label: 'Go to my agent' }}
        />
      </Section>
      <WalletBalance wallet={wallet} network={service.network} />
    </div>
  )
}
