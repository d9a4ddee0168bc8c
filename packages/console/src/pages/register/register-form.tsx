import { useState } from 'react'
import { useQuery } from 'urql'
import { formatUnits, Input, optionsOf, Select } from '../../ui/index.ts'
import { CardBuilder } from '../../form/card-builder.tsx'
import { CardFields } from '../../form/card-fields.tsx'
import { clientCategory } from '../../api/enums.ts'
import { checkDetails } from '../../form/checks.ts'
import { Choice, Choices, Form } from '../../form/form.tsx'
import { useDraft } from '../../form/use-draft.ts'
import type { Service } from '../../ui/service.tsx'
import { RentsDocument } from '../../transaction/ledger.generated.ts'
import { TransactionButton, useTransaction } from '../../transaction/provider.tsx'
import type { TransactionRequest } from '../../transaction/transactions.ts'
import { CATEGORIES } from '../agents/filters.ts'
import type { ServiceCategory } from '../agents/page.generated.ts'
import { InviteCode } from './invite-code.tsx'

interface RegisterFormProps {
  readonly wallet: string
  /** From the link of an invitation. */
  readonly givenCode: string
  /** From a page that knows that the wallet has SOL. */
  readonly prefersWallet: boolean
  readonly service: Service
  readonly next: TransactionRequest['next']
}

interface Draft {
  readonly name: string
  readonly category: ServiceCategory
  readonly url: string
  readonly hash: string
  readonly payer: 'gateway' | 'wallet'
  readonly code: string
}

const EMPTY: Draft = { name: '', category: 'OTHER', url: '', hash: '', payer: 'gateway', code: '' }

/** The name under which this tab keeps what was typed. */
export const draftOf = (wallet: string): string => `registration of ${wallet}`

export function RegisterForm({ wallet, givenCode, prefersWallet, service, next }: RegisterFormProps) {
  const { feeSponsorshipEnabled: canSponsor, agentLimits, network } = service
  const start = useTransaction()
  const { draft, change, field, submit } = useDraft<Draft>(
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
      next,
    })
  }
  const isLocalnet = network === 'LOCALNET'
  const [isWritten, setWritten] = useState(false)
  const use = (card: Partial<Draft>): void => {
    change(card)
    setWritten(true)
  }
  return (
    <>
      <CardBuilder wallet={wallet} name={name} isLocalnet={isLocalnet} onCard={use} />
      {isWritten && (
        <p role="status" className="notice" data-tone="good">
          {isLocalnet
            ? 'The card is published. Its URL and its hash are filled in.'
            : 'The hash of the card is filled in. Enter the URL at which you publish the file.'}
        </p>
      )}
      <Form label="Register an agent" onSubmit={() => submit(register)}>
        <Input
          label="Name"
          hint={`1 to ${agentLimits.nameBytes} bytes. You can change it later.`}
          {...field('name')}
        />
        <Select label="Category" options={optionsOf(CATEGORIES)} {...field('category')} />
        <CardFields field={field} limits={agentLimits} onHash={(value) => change({ hash: value })} />
        <Payer payer={payer} canSponsor={canSponsor} onChange={(chosen) => change({ payer: chosen })} />
        {payer === 'gateway' && <InviteCode wallet={wallet} field={field('code')} />}
        <TransactionButton look="primary" type="submit">
          Review the registration
        </TransactionButton>
      </Form>
    </>
  )
}

interface PayerProps {
  readonly payer: Draft['payer']
  readonly canSponsor: boolean
  readonly onChange: (payer: Draft['payer']) => void
}

function Payer({ payer, canSponsor, onChange }: PayerProps) {
  const [{ data }] = useQuery({ query: RentsDocument })
  const rent = data && ` of ${formatUnits(BigInt(data.ledger.agent), 9)} SOL`
  const walletHint = `A network fee, and a storage deposit${rent ?? ''} that comes back when you close the agent.`
  const sponsorHint = canSponsor
    ? 'The wallet needs no SOL. Ask the operator for a code.'
    : 'This gateway does not pay for registrations now.'
  const radio = (value: Draft['payer']) => ({
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
