import { useState } from 'react'
import { Badge, Button, type Columns, Confirm, Section, Table, words } from '../../ui/index.ts'
import { useAction } from '../../form/use-action.tsx'
import { type OperatorPartsFragment, SetIssuerEnabledDocument } from './page.generated.ts'

type Issuer = OperatorPartsFragment['issuers'][number]

interface IssuersProps {
  readonly issuers: readonly Issuer[]
  readonly onChange: () => void
}

/** Stops trusting an issuer, and trusts it again. */
export function Issuers({ issuers, onChange }: IssuersProps) {
  const { busy, outcome, run } = useAction()
  const [asked, setAsked] = useState<string | null>(null)
  const setEnabled = (did: string, enabled: boolean): void => {
    setAsked(null)
    void run(SetIssuerEnabledDocument, { did, enabled }, () => {
      onChange()
      return enabled ? `${did} is trusted again.` : `${did} is not trusted any more.`
    })
  }
  return (
    <Section
      title="Trusted issuers"
      lead="A change applies within a second, also to credentials that are listed. Add an issuer with the command issuer add."
    >
      {outcome}
      <Table
        caption="Trusted issuers"
        columns={columnsOf(busy, (did, enabled) => (enabled ? setEnabled(did, true) : setAsked(did)))}
        rows={issuers}
        keyOf={({ did }) => did}
        empty="There are no trusted issuers."
      />
      <Confirm
        question={
          asked === null
            ? null
            : {
                title: `Stop trusting ${asked}?`,
                text: 'Its credentials are not verified any more, also those that are listed. You can trust it again.',
                label: 'Stop trusting',
              }
        }
        onConfirm={() => asked !== null && setEnabled(asked, false)}
        onClose={() => setAsked(null)}
      />
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
