import { useState } from 'react'
import { Badge, Button, type Columns, Confirm, type Question, Section, Table, words } from '../../ui/index.ts'
import { useAction } from '../../form/use-action.tsx'
import { type OperatorPartsFragment, SetIssuerEnabledDocument } from './page.generated.ts'
import type { PartProps } from './page.tsx'

type Issuer = OperatorPartsFragment['issuers'][number]

/** Stops trusting an issuer, and trusts it again. */
export function Issuers({ data, onChange }: PartProps) {
  const { busy, outcome, run } = useAction()
  const [question, setQuestion] = useState<Question | null>(null)
  const setEnabled = (did: string, enabled: boolean): void =>
    void run(SetIssuerEnabledDocument, { did, enabled }, () => {
      onChange()
      return enabled ? `${did} is trusted again.` : `${did} is not trusted any more.`
    })
  const ask = (did: string): void =>
    setQuestion({
      title: `Stop trusting ${did}?`,
      text: 'Its credentials are not verified any more, also those that are listed. You can trust it again.',
      label: 'Stop trusting',
      onConfirm: () => setEnabled(did, false),
    })
  return (
    <Section
      title="Trusted issuers"
      lead="A change applies within a second, also to credentials that are listed. Add an issuer with the command issuer add."
    >
      {outcome}
      <Table
        caption="Trusted issuers"
        columns={columnsOf(busy, (did, enabled) => (enabled ? setEnabled(did, true) : ask(did)))}
        rows={data.operator.issuers}
        keyOf={({ did }) => did}
        empty="There are no trusted issuers."
      />
      <Confirm question={question} onClose={() => setQuestion(null)} />
    </Section>
  )
}

/** The column of the button is last. */
const columnsOf = (busy: boolean, setEnabled: (did: string, enabled: boolean) => void): Columns<Issuer> => ({
  Issuer: ({ did }) => <code>{did}</code>,
  'May issue': ({ allowedTypes }) =>
    allowedTypes.map((type) => words(type.replace(/Credential$/, ''))).join(', ') || 'Every type',
  State: ({ enabled }) => (
    <Badge tone={enabled ? 'good' : 'bad'}>{enabled ? 'Trusted' : 'Not trusted'}</Badge>
  ),
  Change: ({ did, enabled }) => (
    <Button
      small
      look={enabled ? 'danger' : 'plain'}
      busy={busy}
      aria-label={`${enabled ? 'Stop trusting' : 'Trust'} ${did}`}
      onClick={() => setEnabled(did, !enabled)}
    >
      {enabled ? 'Stop trusting' : 'Trust again'}
    </Button>
  ),
})
