import type { AgentUpdate } from '@agent-registry/client'
import { useSearchParams } from 'wouter'
import { CAPABILITIES, clientCategory } from '../../api/enums.ts'
import { writtenText } from '../../api/visible.ts'
import { CardBuilder } from '../../form/card-builder.tsx'
import { CardFields } from '../../form/card-fields.tsx'
import { checkDetails } from '../../form/checks.ts'
import { Choice, Choices, Form } from '../../form/form.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { nextStep } from '../../routes.ts'
import { TransactionButton } from '../../transaction/use-transaction.tsx'
import { Input, optionsOf, Section, Select } from '../../ui/index.ts'
import type { Service } from '../../ui/service.tsx'
import { CATEGORIES } from '../agents/filters.ts'
import type { OwnerProps } from './page.tsx'

const scrollToIt = (element: HTMLElement | null): void => element?.scrollIntoView()

type UpdateSectionProps = OwnerProps & { readonly service: Service }

/** Changes the details of an active agent. Only what differs is sent. */
export function UpdateSection({ agent, sign, service }: UpdateSectionProps) {
  const limits = service.agentLimits
  const { serviceCategory } = agent
  const name = writtenText(agent.name)
  const version = writtenText(agent.version)
  const agentCardUrl = writtenText(agent.agentCardUrl)
  const own = BigInt(agent.capabilities)
  const initial = { name, version, category: serviceCategory, capabilities: own, url: agentCardUrl, hash: '' }
  // The URL and the hash change together.
  const changesCard = ({ url, hash }: typeof initial): boolean => url !== agentCardUrl || hash !== ''
  const { draft, change, field, submit, isChecked } = useDraft(initial, (given) => {
    const { url, hash, ...others } = checkDetails(limits, given)
    return changesCard(given) ? { ...others, url, hash } : others
  })
  const { capabilities } = draft
  const [search] = useSearchParams()
  const next = nextStep(search)
  const update = {
    ...(draft.name !== name && { name: draft.name }),
    ...(draft.version !== version && { version: draft.version }),
    ...(draft.category !== serviceCategory && { category: clientCategory(draft.category) }),
    ...(capabilities !== own && { capabilities }),
    ...(changesCard(draft) && { cardUrl: draft.url, cardHash: draft.hash }),
  } as AgentUpdate
  const isSame = Object.keys(update).length === 0
  const review = (): void => {
    if (isSame) return
    sign({
      title: `Update ${agent.name}`,
      send: (registry, signer, options) => registry.agents.update(update, signer, options),
      sponsorable: true,
      next,
    })
  }
  return (
    <Section title="Details" lead="Only what you change is sent.">
      {/* The first steps lead to this form, which is below the fold. */}
      {next && <span ref={scrollToIt} />}
      <CardBuilder
        wallet={agent.owner}
        name={draft.name}
        isLocalnet={service.network === 'LOCALNET'}
        onCard={change}
      />
      <Form label="Details" onSubmit={() => submit(review)}>
        <Input label="Name" {...field('name')} />
        <Input
          label="Version"
          hint={`Free text, at most ${limits.versionBytes} bytes.`}
          {...field('version')}
        />
        <Select label="Category" options={optionsOf(CATEGORIES)} {...field('category')} />
        <Choices title="Capabilities">
          <div className="grid">
            {CAPABILITIES.map((label, i) => {
              const bit = 1n << BigInt(i)
              const toggle = (): void => change({ capabilities: capabilities ^ bit })
              return (
                <Choice key={label} label={label} checked={(capabilities & bit) !== 0n} onChange={toggle} />
              )
            })}
          </div>
        </Choices>
        <CardFields field={field} limits={limits} onHash={(hash) => change({ hash })} />
        <TransactionButton type="submit">Review the update</TransactionButton>
        <p role="status" className="note">
          {isChecked && isSame ? 'Nothing differs from the registry. Change a field first.' : ''}
        </p>
      </Form>
    </Section>
  )
}
