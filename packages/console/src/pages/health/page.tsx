import { Button, Facts, Page, Section } from '../../ui/index.ts'
import { Loaded, useRead } from '../../ui/reads.ts'
import { Address, Amount, Light, RelativeTime, type Tone, withCommas, words } from '../../ui/values.ts'
import { ServiceHealthDocument, type ServiceHealthQuery } from './page.generated.ts'
import { networkName } from '../../api/enums.ts'
import type { Values } from '../../ui/section.tsx'

const REFRESH_MS = 10_000
const EXAMPLE = `console.log(await registry.call('getDetailedHealth', {}))`

export default function HealthPage() {
  const read = useRead({ query: ServiceHealthDocument }, { everyMs: REFRESH_MS, keep: true })
  const { data, lastError, fetching, again } = read
  return (
    <Page
      title="Service health"
      lead="The parts that the service needs, as the process that answered you sees them. The page is updated every 10 seconds."
      request={{ document: ServiceHealthDocument, client: EXAMPLE }}
      actions={
        <Button onClick={again} busy={fetching && data !== undefined}>
          Check again
        </Button>
      }
    >
      <Loaded read={read} data={data} rows={5} label="Loading the health of the service">
        {(known) => <Report data={known} isStale={lastError !== undefined} />}
      </Loaded>
    </Page>
  )
}

function Report({ data, isStale }: { readonly data: ServiceHealthQuery; readonly isStale: boolean }) {
  const { detailedHealth: health, readiness } = data
  const [tone, verdict] = isStale ? STALE : verdictOf(data)
  const problems = [...new Set([...readiness.missing, ...health.reasons])]
  return (
    <div className="stack">
      <div className="notice" data-tone={tone} role="status">
        <h2>{verdict}</h2>
        {isStale && <p>The values below are older. The page tries again by itself.</p>}
        {problems.length > 0 && (
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        )}
        <p>
          Checked <RelativeTime value={health.timestamp} />
        </p>
      </div>
      <div className="grid">
        {partsOf(data).map(([title, [tone, state, text], facts]) => (
          <Section key={title} title={title} aside={<Light tone={tone} text={state} />}>
            <p className="hint">{text}</p>
            {facts && <Facts facts={facts} />}
          </Section>
        ))}
      </div>
    </div>
  )
}

type Verdict = readonly [tone: Tone, text: string]
const STALE: Verdict = ['bad', 'The gateway does not answer']

function verdictOf({ detailedHealth, readiness }: ServiceHealthQuery): Verdict {
  if (!readiness.ready) return ['bad', 'The service is not ready']
  return detailedHealth.status === 'HEALTHY'
    ? ['good', 'Everything works']
    : ['warn', 'Some parts do not work']
}

type State = readonly [tone: Tone, state: string, text: string]

type Part = readonly [title: string, state: State, facts?: Values]

const count = (value: number | null, unit = ''): string =>
  value === null ? 'Not known' : `${withCommas(value)} ${unit}`.trim()

const LEDGER_LOST =
  'The Solana node does not answer. Reads still work, with the last known data. Transactions do not.'
const INDEXED = 'It copies the registry from the ledger. Lists and pages show what the ledger has.'
const NOT_INDEXED = 'It copies the registry from the ledger. Lists and pages may show older data.'
const PAYS = 'The service pays for registrations with an invite code, and fees of some agents.'
const PAYS_NOT = 'The service pays for nobody now. Owners pay for their own transactions.'
const DATABASE_LOST =
  'PostgreSQL does not answer, so almost nothing works. The service tries again by itself.'
const TAKES_NONE = 'It does not take requests yet. Load balancers send them to others.'

/** The parts of the service, each with its state and what it means for readers. */
function partsOf({ detailedHealth, readiness, info }: ServiceHealthQuery): Part[] {
  const { rpc, indexer, feePayer, database } = detailedHealth
  const { pubkey, balanceLamports } = feePayer
  return [
    [
      'Ledger',
      rpc.connected
        ? ['good', 'Connected', 'The Solana node answers.']
        : ['bad', 'Not reachable', LEDGER_LOST],
      {
        Network: words(networkName(info.network)),
        'Newest slot': count(rpc.slot),
        'Registry program': <Address value={info.program} label="program address" />,
      },
    ],
    [
      'Indexer',
      indexer.healthy
        ? ['good', 'Up to date', INDEXED]
        : indexer.ready
          ? ['warn', 'Behind', NOT_INDEXED]
          : ['bad', 'Not ready', NOT_INDEXED],
      {
        Phase: words(indexer.phase),
        'Behind by': `${count(indexer.lagSeconds, 'seconds')}, ${count(indexer.lagSlots, 'slots')}`,
        'Read up to slot': count(indexer.cursorSlot),
        'Compared up to slot': count(indexer.finalizedSlot),
        'Records not understood': count(indexer.deadLetters),
      },
    ],
    [
      'Fee payer',
      feePayer.enabled ? ['good', 'On', PAYS] : ['neutral', 'Off', PAYS_NOT],
      {
        Account: pubkey && <Address value={pubkey} label="fee payer" />,
        Balance: pubkey && (balanceLamports ? <Amount value={balanceLamports} unit="sol" /> : 'Not known'),
      },
    ],
    [
      'Database',
      database.connected
        ? ['good', 'Connected', 'PostgreSQL answers.']
        : ['bad', 'Not reachable', DATABASE_LOST],
    ],
    [
      'This process',
      readiness.ready
        ? ['good', 'Ready', 'It takes requests. Load balancers send them here.']
        : ['bad', 'Not ready', TAKES_NONE],
      { Version: info.version },
    ],
  ]
}
