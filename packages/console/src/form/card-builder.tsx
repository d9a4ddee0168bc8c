import { useState } from 'react'
import { useClient } from 'urql'
import { Button, DialogButton, ErrorState, Input, TextArea } from '../ui/index.ts'
import { save } from '../ui/save.ts'
import { CheckAgentCardDocument, PublishLocalnetCardDocument } from './card.generated.ts'
import { sha256Hex } from './card-fields.tsx'
import { Form } from './form.tsx'
import { useAction } from './use-action.tsx'
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
export function CardBuilder({ onCard, ...props }: CardBuilderProps) {
  const [isWritten, setWritten] = useState(false)
  return (
    <>
      <div>
        Every agent has a card: a JSON file that says what it does and where it answers.{' '}
        <DialogButton small label="Write a card" title="Write a card">
          {(close) => (
            <CardForm
              {...props}
              onCard={(card) => {
                onCard(card)
                setWritten(true)
                close()
              }}
            />
          )}
        </DialogButton>
      </div>
      {isWritten && (
        <p role="status" className="notice" data-tone="good">
          {props.isLocalnet
            ? 'The card is published. Its URL and its hash are filled in.'
            : 'The hash of the card is filled in. Enter the URL at which you publish the file.'}
        </p>
      )}
    </>
  )
}

function CardForm({ wallet, name, isLocalnet, onCard }: CardBuilderProps) {
  const keptAs = `card of ${wallet}`
  const client = useClient()
  // What the gateway found in a card, by the rules of A2A.
  const [checked, setChecked] = useState({ card: '', error: undefined as unknown, found: {} })
  const problemsOf = (given: Draft) => (checked.card === cardText(given) ? checked.found : {})
  const { draft, field, submit } = useDraft<Draft>(EMPTY, problemsOf, {
    as: keptAs,
    over: name === '' ? {} : { name },
  })
  const { busy, error, run } = useAction()
  const [isChecking, setChecking] = useState(false)
  const failure = error ?? checked.error
  const write = async (): Promise<void> => {
    const card = cardText(draft)
    setChecking(true)
    const check = await client.query(CheckAgentCardDocument, { source: { card } })
    setChecking(false)
    const problems = check.data?.checkAgentCard.problems ?? []
    const found = problems.map(({ path, problem }) => {
      const name = FIELDS[path] ?? 'skill'
      const isBlank = name !== 'endpoint' && draft[name].trim() === ''
      return [name, isBlank ? 'Enter a text.' : `It ${problem}.`]
    })
    setChecked({ card, error: check.error, found: Object.fromEntries(found) })
    if (check.error || found.length > 0) return
    const named = { name: draft.name.trim() }
    if (!isLocalnet) {
      save('agent-card.json', card, 'application/json')
      return onCard({ ...named, hash: await sha256Hex(new TextEncoder().encode(card)) })
    }
    run(PublishLocalnetCardDocument, { card }, ({ publishLocalnetCard }) => {
      forgetDraft(keptAs)
      onCard({ ...publishLocalnetCard, ...named })
    })
  }
  return (
    <Form label="Write a card" onSubmit={() => submit(write)}>
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
      {failure !== undefined && <ErrorState error={failure} />}
      <p className="note">
        {isLocalnet
          ? 'This local test network publishes the card for you.'
          : 'Publish the downloaded file without a change, then enter its URL.'}
      </p>
      <Button type="submit" look="primary" busy={busy || isChecking}>
        {isLocalnet ? 'Publish the card' : 'Download the card'}
      </Button>
    </Form>
  )
}

/** Where the answers are in the card. Those of the skill are the name and the id. */
const FIELDS: Record<string, keyof Draft> = {
  name: 'name',
  description: 'description',
  'supportedInterfaces[0].url': 'endpoint',
  'skills[0].description': 'skillDescription',
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
