import type { AgentUpdate } from '@agent-registry/client'
import { useState } from 'react'
import { CAPABILITIES } from '../../api/enums.ts'
import { CardFields } from '../../form/card-fields.tsx'
import { clientCategory } from '../../form/categories.ts'
import { checkCardUrl, checkHash, checkName, checkVersion } from '../../form/checks.ts'
import { Choice, Choices, Form } from '../../form/form.tsx'
import { Button, Input, optionsOf, Section, Select } from '../../ui/index.ts'
import { CATEGORIES } from '../agents/filters.ts'
import type { ServiceCategory } from '../agents/page.generated.ts'
import type { Sign } from './owner-transaction.tsx'
import type { MyAgent } from './page.tsx'

interface UpdateSectionProps {
  readonly agent: MyAgent
  readonly sign: Sign
}

/** Changes the details of an active agent. Only what differs is sent. */
export function UpdateSection({ agent, sign }: UpdateSectionProps) {
  const [name, setName] = useState(agent.name)
  const [version, setVersion] = useState(agent.version)
  const [category, setCategory] = useState(agent.serviceCategory)
  const [capabilities, setCapabilities] = useState(BigInt(agent.capabilities))
  const [card, setCard] = useState({ url: agent.agentCardUrl, hash: '' })
  const [isChecked, setChecked] = useState(false)
  // The URL and the hash change together.
  const changesCard = card.url !== agent.agentCardUrl || card.hash !== ''
  const update = {
    ...(name !== agent.name && { name }),
    ...(version !== agent.version && { version }),
    ...(category !== agent.serviceCategory && { category: clientCategory(category) }),
    ...(capabilities !== BigInt(agent.capabilities) && { capabilities }),
    ...(changesCard && { cardUrl: card.url, cardHash: card.hash }),
  } as AgentUpdate
  const found = {
    name: checkName(name),
    version: checkVersion(version),
    url: changesCard ? checkCardUrl(card.url) : null,
    hash: changesCard ? checkHash(card.hash) : null,
  }
  const isSame = Object.keys(update).length === 0
  const problems = isChecked ? found : { name: null, version: null, url: null, hash: null }
  const submit = (): void => {
    setChecked(true)
    if (isSame || Object.values(found).some((problem) => problem !== null)) return
    sign({
      title: `Update ${agent.name}`,
      send: (registry, signer, options) => registry.agents.update(update, signer, options),
      sponsorable: true,
    })
  }
  return (
    <Section title="Details" lead="Only what you change is sent.">
      <Form label="Details" onSubmit={submit}>
        <Input
          label="Name"
          autoComplete="off"
          value={name}
          error={problems.name}
          onChange={({ target }) => setName(target.value)}
        />
        <Input
          label="Version"
          autoComplete="off"
          hint="Free text, at most 16 bytes."
          value={version}
          error={problems.version}
          onChange={({ target }) => setVersion(target.value)}
        />
        <Select
          label="Category"
          options={optionsOf(CATEGORIES)}
          value={category}
          onChange={({ target }) => setCategory(target.value as ServiceCategory)}
        />
        <Choices title="Capabilities">
          <div className="grid">
            {CAPABILITIES.map((label, i) => {
              const bit = 1n << BigInt(i)
              const toggle = (): void => setCapabilities(capabilities ^ bit)
              return (
                <Choice key={label} label={label} checked={(capabilities & bit) !== 0n} onChange={toggle} />
              )
            })}
          </div>
        </Choices>
        <CardFields
          {...card}
          urlError={problems.url}
          hashError={problems.hash}
          onChange={(changes) => setCard((now) => ({ ...now, ...changes }))}
        />
        <Button type="submit">Review the update</Button>
        <p role="status" className="note">
          {isChecked && isSame ? 'Nothing differs from the registry. Change a field first.' : ''}
        </p>
      </Form>
    </Section>
  )
}
