import { useState } from 'react'
import { useMutation } from 'urql'
import { Button, Dialog, ErrorState, Input, TextArea } from '../ui/index.ts'
import { save } from '../ui/save.ts'
import { PublishLocalnetCardDocument } from './card-builder.generated.ts'
import { sha256Hex } from './card-fields.tsx'
import { Form } from './form.tsx'
import { forgetDraft, useDraft } from './use-draft.ts'

interface CardBuilderProps {
  /** Of the owner, whose draft is kept. */
  readonly wallet: string
  /** Of the agent. The card has the same name. */
  readonly name: string
  /** On the localnet, the gateway publishes the card. */
  readonly isLocalnet: boolean
  readonly onCard: (card: { name: string; url?: string; hash: string }) => void
}

const EMPTY = { name: '', description: '', endpoint: '', skill: '', skillDescription: '' }
type Draft = typeof EMPTY

/** Writes an agent card of A2A 1.0 from a few answers. */
export function CardBuilder({ wallet, name, isLocalnet, onCard }: CardBuilderProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <p>
        Every agent has a card: a JSON file that says what it does and where it answers.{' '}
        <Button small onClick={() => setOpen(true)}>
          Write a card
        </Button>
      </p>
      <Dialog title="Write a card" open={open} onClose={() => setOpen(false)}>
        <CardForm
          wallet={wallet}
          name={name}
          isLocalnet={isLocalnet}
          onCard={(card) => {
            onCard(card)
            setOpen(false)
          }}
        />
      </Dialog>
    </>
  )
}

function CardForm({ wallet, name, isLocalnet, onCard }: CardBuilderProps) {
  const keptAs = `card of ${wallet}`
  const { draft, field, submit } = useDraft<Draft>(EMPTY, problemsOf, {
    as: keptAs,
    over: name === '' ? {} : { name },
  })
  const [{ error, fetching }, publish] = useMutation(PublishLocalnetCardDocument)
  const write = async (): Promise<void> => {
    const card = cardText(draft)
    if (!isLocalnet) {
      save('agent-card.json', card, 'application/json')
      onCard({ name: draft.name.trim(), hash: await sha256Hex(new TextEncoder().encode(card)) })
      return
    }
    const { data } = await publish({ card })
    if (!data?.publishLocalnetCard) return
    forgetDraft(keptAs)
    onCard({ ...data.publishLocalnetCard, name: draft.name.trim() })
  }
  return (
    <Form label="Write a card" onSubmit={() => submit(() => void write())}>
      <Input label="Name" hint="As in the registration." {...field('name')} />
      <TextArea
        label="Description"
        hint="What the agent does, for people and other agents."
        {...field('description')}
      />
      <Input
        label="Endpoint"
        hint="The https URL at which the agent answers A2A requests."
        {...field('endpoint')}
      />
      <Input label="Skill" hint="One thing that it does, such as “Plan a route”." {...field('skill')} />
      <Input label="What the skill does" hint="In a sentence." {...field('skillDescription')} />
      {error !== undefined && <ErrorState error={error} />}
      <p className="note">
        {isLocalnet
          ? 'This local test network publishes the card for you.'
          : 'Publish the downloaded file without a change, then enter its URL.'}
      </p>
      <Button type="submit" look="primary" busy={fetching}>
        {isLocalnet ? 'Publish the card' : 'Download the card'}
      </Button>
    </Form>
  )
}

function problemsOf({ endpoint, ...texts }: Draft): Partial<Draft> {
  const missing = Object.entries(texts).filter(([, text]) => text.trim() === '')
  return {
    ...Object.fromEntries(missing.map(([name]) => [name, 'Enter a text.'])),
    ...(!/^https:\/\/\S+$/.test(endpoint.trim()) && { endpoint: 'Enter a URL that begins with https.' }),
  }
}

function cardText({ name, description, endpoint, skill, skillDescription }: Draft): string {
  const card = {
    name: name.trim(),
    description: description.trim(),
    version: '1.0.0',
    supportedInterfaces: [{ url: endpoint.trim(), protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: skill
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}]+/gu, '-'),
        name: skill.trim(),
        description: skillDescription.trim(),
        tags: [],
      },
    ],
  }
  return `${JSON.stringify(card, null, 2)}\n`
}
