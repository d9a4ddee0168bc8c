import { useState } from 'react'
import { useMutation } from 'urql'
import { Button, Dialog, ErrorState, Input, TextArea } from '../ui/index.ts'
import { save } from '../ui/save.ts'
import { PublishLocalnetCardDocument } from './card-builder.generated.ts'
import { sha256Hex } from './card-fields.tsx'
import { Form } from './form.tsx'

interface CardBuilderProps {
  /** Of the agent. The card has the same name. */
  readonly name: string
  /** On the localnet, the gateway publishes the card. */
  readonly isLocalnet: boolean
  readonly onCard: (card: { url?: string; hash: string }) => void
}

const EMPTY = { description: '', endpoint: '', skill: '', skillDescription: '' }
type Draft = typeof EMPTY

/** Writes an agent card of A2A 1.0 from a few answers. */
export function CardBuilder({ name, isLocalnet, onCard }: CardBuilderProps) {
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

function CardForm({ name, isLocalnet, onCard }: CardBuilderProps) {
  const [draft, setDraft] = useState<Draft & { name: string }>({ ...EMPTY, name })
  const [isChecked, setChecked] = useState(false)
  const [{ error, fetching }, publish] = useMutation(PublishLocalnetCardDocument)
  const problems: Record<string, string | null> = Object.fromEntries(
    Object.entries(draft).map(([field, value]) => [field, isChecked ? problemOf(field, value) : null]),
  )
  const submit = async (): Promise<void> => {
    setChecked(true)
    if (Object.entries(draft).some(([field, value]) => problemOf(field, value) !== null)) return
    const card = cardText(draft)
    if (!isLocalnet) {
      save('agent-card.json', card, 'application/json')
      onCard({ hash: await sha256Hex(new TextEncoder().encode(card)) })
      return
    }
    const { data } = await publish({ card })
    if (data?.publishLocalnetCard) onCard(data.publishLocalnetCard)
  }
  const field = (member: keyof typeof draft, label: string, hint: string) => ({
    label,
    hint,
    autoComplete: 'off',
    value: draft[member],
    error: problems[member],
    onChange: ({ target }: { target: { value: string } }) => setDraft({ ...draft, [member]: target.value }),
  })
  return (
    <Form label="Write a card" onSubmit={() => void submit()}>
      <Input {...field('name', 'Name', 'As in the registration.')} />
      <TextArea
        {...field('description', 'Description', 'What the agent does, for people and other agents.')}
      />
      <Input {...field('endpoint', 'Endpoint', 'The https URL at which the agent answers A2A requests.')} />
      <Input {...field('skill', 'Skill', 'One thing that it does, such as “Plan a route”.')} />
      <Input {...field('skillDescription', 'What the skill does', 'In a sentence.')} />
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

function problemOf(field: string, value: string): string | null {
  if (field === 'endpoint')
    return /^https:\/\/\S+$/.test(value.trim()) ? null : 'Enter a URL that begins with https.'
  return value.trim() === '' ? 'Enter a text.' : null
}

function cardText({
  name,
  description,
  endpoint,
  skill,
  skillDescription,
}: Draft & { name: string }): string {
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
        id: skill.trim().toLowerCase().replaceAll(/\W+/g, '-'),
        name: skill.trim(),
        description: skillDescription.trim(),
        tags: [],
      },
    ],
  }
  return `${JSON.stringify(card, null, 2)}\n`
}
