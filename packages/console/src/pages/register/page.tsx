import { useEffect } from 'react'
import { useSearchParams } from 'wouter'
import { useQuery } from 'urql'
import { readError } from '../../api/errors.ts'
import { type DraftField, forgetDraft, useDraft } from '../../form/use-draft.ts'
import { TransactionButton, useTransaction } from '../../transaction/use-transaction.tsx'
import { WalletBalance } from '../../transaction/wallet-balance.tsx'
import { ButtonLink, Input, optionsOf, Page, Section, Select } from '../../ui/index.ts'
import { Empty, useDebounced } from '../../ui/reads.ts'
import { type Owner, WithOwner } from '../../wallet/own-agent.tsx'
import { nextStep } from '../../routes.ts'
import { InviteCodeDocument, PrepareRegistrationDocument } from './page.generated.ts'
import { formatUnits } from '../../ui/values.ts'
import { CardBuilder } from '../../form/card-builder.tsx'
import { CardFields } from '../../form/card-fields.tsx'
import { clientCategory } from '../../api/enums.ts'
import { checkDetails } from '../../form/checks.ts'
import { Choice, Choices, Form } from '../../form/form.tsx'
import { RentsDocument } from '../../transaction/ledger.generated.ts'
import { CATEGORIES } from '../agents/filters.ts'

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
      <WithOwner need="wallet" why="Connect the wallet that will own the agent" content={Registration} />
    </Page>
  )
}

function Registration({ wallet, agent, service }: Owner) {
  useEffect(() => {
    if (agent) forgetDraft(draftOf(wallet))
  }, [agent, wallet])
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
        <RegisterForm wallet={wallet} service={service} />
      </Section>
      <WalletBalance wallet={wallet} />
    </div>
  )
}

type Payer = 'gateway' | 'wallet'
const EMPTY = { name: '', category: 'OTHER', url: '', hash: '', payer: 'gateway' as Payer, code: '' }

/** The name under which this tab keeps what was typed. */
const draftOf = (wallet: string): string => `registration of ${wallet}`

function RegisterForm({ wallet, service }: Omit<Owner, 'agent'>) {
  const [search] = useSearchParams()
  // From the link of an invitation.
  const givenCode = search.get('code') ?? ''
  // From a page that knows that the wallet has SOL.
  const prefersWallet = search.get('payer') === 'wallet'
  const { feeSponsorshipEnabled: canSponsor, agentLimits, network } = service
  const start = useTransaction()
  const { draft, change, field, submit } = useDraft(
    EMPTY,
    (given) => ({
      ...checkDetails(agentLimits, given),
      code:
        given.payer === 'gateway' && given.code.trim() === ''
          ? 'Enter a code, or let your wallet pay.'
          : null,
    }),
    {
      as: draftOf(wallet),
      over: {
        ...(givenCode !== '' && { code: givenCode, payer: 'gateway' }),
        ...((prefersWallet || !canSponsor) && { payer: 'wallet' }),
      },
    },
  )
  const { name, category, url, hash, payer, code } = draft
  const register = (): void => {
    const sponsorship = payer === 'gateway' ? { inviteCode: code.trim() } : {}
    start({
      title: `Register ${name}`,
      send: async (registry, signer, options) => {
        const card = { cardUrl: url, cardHash: hash }
        const registration = { name, category: clientCategory(category), ...card, ...sponsorship }
        return (await registry.agents.register(registration, signer, options)).transaction
      },
      next: nextStep(search) ?? { to: '/mine', label: 'Go to my agent' },
    })
  }
  return (
    <>
      <CardBuilder wallet={wallet} name={name} isLocalnet={network === 'LOCALNET'} onCard={change} />
      <Form label="Register an agent" onSubmit={() => submit(register)}>
        <Input
          label="Name"
          hint={`1 to ${agentLimits.nameBytes} bytes. You can change it later.`}
          {...field('name')}
        />
        <Select label="Category" options={optionsOf(CATEGORIES)} {...field('category')} />
        <CardFields field={field} limits={agentLimits} onHash={(value) => change({ hash: value })} />
        <PayerChoices
          payer={payer}
          canSponsor={canSponsor}
          onChange={(chosen) => change({ payer: chosen })}
        />
        {payer === 'gateway' && <InviteCode wallet={wallet} field={field('code')} />}
        <TransactionButton look="primary" type="submit">
          Review the registration
        </TransactionButton>
      </Form>
    </>
  )
}

interface PayerProps {
  readonly payer: Payer
  readonly canSponsor: boolean
  readonly onChange: (payer: Payer) => void
}

function PayerChoices({ payer, canSponsor, onChange }: PayerProps) {
  const [{ data }] = useQuery({ query: RentsDocument })
  const rent = data && ` of ${formatUnits(BigInt(data.ledger.agent), 9)} SOL`
  const walletHint = `A network fee, and a storage deposit${rent ?? ''} that comes back when you close the agent.`
  const sponsorHint = canSponsor
    ? 'The wallet needs no SOL. Ask the operator for a code.'
    : 'This gateway does not pay for registrations now.'
  const radio = (value: Payer) => ({
    type: 'radio',
    name: 'payer',
    checked: payer === value,
    onChange: () => onChange(value),
  })
  return (
    <Choices title="Who pays">
      <Choice
        {...radio('gateway')}
        label="The gateway, with an invite code"
        hint={sponsorHint}
        disabled={!canSponsor}
      />
      <Choice {...radio('wallet')} label="Your wallet" hint={walletHint} />
    </Choices>
  )
}

const WAIT_MS = 300

/** An invite code, checked while it is typed. The check takes nothing. */
function InviteCode({ wallet, field }: { readonly wallet: string; readonly field: DraftField }) {
  const code = field.value.trim()
  const typed = useDebounced(code, WAIT_MS)
  const [{ data, error: failure, fetching }] = useQuery({
    query: InviteCodeDocument,
    variables: { wallet, code: typed },
    pause: typed === '',
    requestPolicy: 'network-only',
  })
  const isCurrent = typed !== '' && typed === code && !fetching
  const { eligible = false, reason = null } = (isCurrent && data?.eligibility) || {}
  const problem = isCurrent && failure ? readError(failure).message : isCurrent ? reason : null
  return (
    <>
      <Input
        label="Invite code"
        autoCapitalize="characters"
        spellCheck="false"
        placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
        {...field}
        error={problem ?? field.error}
      />
      <p role="status" className="note good">
        {isCurrent && eligible ? 'This code works. The gateway pays for the registration.' : ''}
      </p>
    </>
  )
}
