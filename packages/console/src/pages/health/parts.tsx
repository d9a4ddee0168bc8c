import type { ReactNode } from 'react'
import { networkName } from '../../api/enums.ts'
import { Address, Amount, type Tone, withCommas, words } from '../../ui/index.ts'
import type { ServiceHealthQuery } from './page.generated.ts'

export interface Part {
  readonly title: string
  readonly tone: Tone
  readonly state: string
  readonly text: string
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}

const count = (value: number | null, unit = ''): string =>
  value === null ? 'Not known' : `${withCommas(value)} ${unit}`.trim()

/** The parts of the service, each with its state and what it means for readers. */
export function partsOf({ detailedHealth, readiness, info }: ServiceHealthQuery): Part[] {
  const { rpc, indexer, feePayer, database } = detailedHealth
  const { pubkey, balanceLamports } = feePayer
  return [
    {
      title: 'Ledger',
      ...(rpc.connected
        ? { tone: 'good', state: 'Connected', text: 'The Solana node answers.' }
        : {
            tone: 'bad',
            state: 'Not reachable',
            text: 'The Solana node does not answer. Reads still work, with the last known data. Transactions do not.',
          }),
      facts: [
        ['Network', words(networkName(info.network))],
        ['Newest slot', count(rpc.slot)],
        ['Registry program', <Address key="p" value={info.program} label="program address" />],
      ],
    },
    {
      title: 'Indexer',
      ...(indexer.healthy
        ? {
            tone: 'good',
            state: 'Up to date',
            text: 'It copies the registry from the ledger. Lists and pages show what the ledger has.',
          }
        : {
            tone: indexer.ready ? 'warn' : 'bad',
            state: indexer.ready ? 'Behind' : 'Not ready',
            text: 'It copies the registry from the ledger. Lists and pages may show older data.',
          }),
      facts: [
        ['Phase', words(indexer.phase)],
        ['Behind by', `${count(indexer.lagSeconds, 'seconds')}, ${count(indexer.lagSlots, 'slots')}`],
        ['Read up to slot', count(indexer.cursorSlot)],
        ['Compared up to slot', count(indexer.finalizedSlot)],
        ['Records not understood', count(indexer.deadLetters)],
      ],
    },
    {
      title: 'Fee payer',
      ...(feePayer.enabled
        ? {
            tone: 'good',
            state: 'On',
            text: 'The service pays for registrations with an invite code, and fees of some agents.',
          }
        : {
            tone: 'neutral',
            state: 'Off',
            text: 'The service pays for nobody now. Owners pay for their own transactions.',
          }),
      facts: [
        ['Account', pubkey && <Address value={pubkey} label="fee payer" />],
        [
          'Balance',
          pubkey && (balanceLamports ? <Amount value={balanceLamports} unit="sol" /> : 'Not known'),
        ],
      ],
    },
    {
      title: 'Database',
      ...(database.connected
        ? { tone: 'good', state: 'Connected', text: 'PostgreSQL answers.' }
        : {
            tone: 'bad',
            state: 'Not reachable',
            text: 'PostgreSQL does not answer, so almost nothing works. The service tries again by itself.',
          }),
      facts: [],
    },
    {
      title: 'This process',
      ...(readiness.ready
        ? { tone: 'good', state: 'Ready', text: 'It takes requests. Load balancers send them here.' }
        : {
            tone: 'bad',
            state: 'Not ready',
            text: 'It does not take requests yet. Load balancers send them to others.',
          }),
      facts: [['Version', info.version]],
    },
  ]
}
