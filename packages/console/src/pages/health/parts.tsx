import type { ReactNode } from 'react'
import { networkName } from '../../api/enums.ts'
import { Address, Amount, Badge, Facts, Section, type Tone, withCommas, words } from '../../ui/index.ts'
import type { ServiceHealthQuery } from './page.generated.ts'
import css from './page.module.css'

type Health = ServiceHealthQuery['detailedHealth']
type Fact = readonly [name: string, value: ReactNode]

interface PartProps {
  readonly title: string
  readonly tone: Tone
  readonly state: string
  readonly text: string
  readonly facts?: readonly Fact[]
}

function Part({ title, tone, state, text, facts }: PartProps) {
  return (
    <Section
      title={title}
      aside={
        <Badge tone={tone} dot>
          {state}
        </Badge>
      }
    >
      <p className={css.hint}>{text}</p>
      {facts !== undefined && facts.length > 0 && <Facts facts={facts} />}
    </Section>
  )
}

const number = (value: number | null, unit: string): string =>
  value === null ? 'Not known' : `${withCommas(value)} ${unit}`
const count = (value: number | null): string => (value === null ? 'Not known' : withCommas(value))

export function LedgerPart({
  rpc,
  network,
  program,
}: {
  readonly rpc: Health['rpc']
  readonly network: string
  readonly program: string
}) {
  return (
    <Part
      title="Ledger"
      tone={rpc.connected ? 'good' : 'bad'}
      state={rpc.connected ? 'Connected' : 'Not reachable'}
      text={
        rpc.connected
          ? 'The Solana node answers.'
          : 'The Solana node does not answer. Reads still work, with the last known data. Transactions do not.'
      }
      facts={[
        ['Network', words(networkName(network))],
        ['Newest slot', count(rpc.slot)],
        ['Registry program', <Address key="p" value={program} label="program address" />],
      ]}
    />
  )
}

export function IndexerPart({ indexer }: { readonly indexer: Health['indexer'] }) {
  const { healthy, ready, phase, lagSlots, lagSeconds, cursorSlot, finalizedSlot, deadLetters } = indexer
  return (
    <Part
      title="Indexer"
      tone={healthy ? 'good' : ready ? 'warn' : 'bad'}
      state={healthy ? 'Up to date' : ready ? 'Behind' : 'Not ready'}
      text={
        healthy
          ? 'It copies the registry from the ledger. Lists and pages show what the ledger has.'
          : 'It copies the registry from the ledger. Lists and pages may show older data.'
      }
      facts={[
        ['Phase', words(phase)],
        ['Behind by', `${number(lagSeconds, 'seconds')}, ${number(lagSlots, 'slots')}`],
        ['Read up to slot', count(cursorSlot)],
        ['Compared up to slot', count(finalizedSlot)],
        ['Records not understood', count(deadLetters)],
      ]}
    />
  )
}

export function FeePayerPart({ feePayer }: { readonly feePayer: Health['feePayer'] }) {
  const { enabled, pubkey, balanceLamports } = feePayer
  return (
    <Part
      title="Fee payer"
      tone={enabled ? 'good' : 'neutral'}
      state={enabled ? 'On' : 'Off'}
      text={
        enabled
          ? 'The service pays for registrations with an invite code, and fees of some agents.'
          : 'The service pays for nobody now. Owners pay for their own transactions.'
      }
      facts={
        pubkey === null
          ? []
          : [
              ['Account', <Address key="a" value={pubkey} label="fee payer" />],
              [
                'Balance',
                balanceLamports === null ? 'Not known' : <Amount value={balanceLamports} unit="sol" />,
              ],
            ]
      }
    />
  )
}

export function DatabasePart({ database }: { readonly database: Health['database'] }) {
  return (
    <Part
      title="Database"
      tone={database.connected ? 'good' : 'bad'}
      state={database.connected ? 'Connected' : 'Not reachable'}
      text={
        database.connected
          ? 'PostgreSQL answers.'
          : 'PostgreSQL does not answer, so almost nothing works. The service tries again by itself.'
      }
    />
  )
}

export function ProcessPart({
  readiness,
  version,
}: {
  readonly readiness: ServiceHealthQuery['readiness']
  readonly version: string
}) {
  return (
    <Part
      title="This process"
      tone={readiness.ready ? 'good' : 'bad'}
      state={readiness.ready ? 'Ready' : 'Not ready'}
      text={
        readiness.ready
          ? 'It takes requests. Load balancers send them here.'
          : 'It does not take requests yet. Load balancers send them to others.'
      }
      facts={[['Version', version]]}
    />
  )
}
