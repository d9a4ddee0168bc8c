import { Button, Facts, Page, Section } from '../../ui/index.ts'
import { ErrorState, Loading, useKept, useRead } from '../../ui/reads.ts'
import { Light, RelativeTime } from '../../ui/values.ts'
import { ServiceHealthDocument, type ServiceHealthQuery } from './page.generated.ts'
import { partsOf } from './parts.tsx'

const REFRESH_MS = 10_000
const EXAMPLE = `console.log(await registry.call('getDetailedHealth', {}))`

export default function HealthPage() {
  const read = useRead({ query: ServiceHealthDocument }, { everyMs: REFRESH_MS })
  const { error, fetching, again: retry } = read
  const data = useKept(read.data)
  return (
    <Page
      title="Service health"
      lead="The parts that the service needs, as the process that answered you sees them. The page is updated every 10 seconds."
      request={{ document: ServiceHealthDocument, client: EXAMPLE }}
      actions={
        <Button onClick={retry} busy={fetching && data !== undefined}>
          Check again
        </Button>
      }
    >
      {data !== undefined ? (
        <Report data={data} isStale={error !== undefined} />
      ) : error !== undefined ? (
        <ErrorState error={error} retry={retry} />
      ) : (
        <Loading label="Loading the health of the service" />
      )}
    </Page>
  )
}

function Report({ data, isStale }: { readonly data: ServiceHealthQuery; readonly isStale: boolean }) {
  const { detailedHealth: health, readiness } = data
  const isGood = readiness.ready && health.status === 'HEALTHY' && !isStale
  const problems = [...new Set([...readiness.missing, ...health.reasons])]
  return (
    <div className="stack">
      <div
        className="notice"
        data-tone={isGood ? 'good' : readiness.ready && !isStale ? 'warn' : 'bad'}
        role="status"
      >
        <h2>
          {isStale
            ? 'The gateway does not answer'
            : isGood
              ? 'Everything works'
              : readiness.ready
                ? 'Some parts do not work'
                : 'The service is not ready'}
        </h2>
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
        {partsOf(data).map(({ title, tone, state, text, facts }) => (
          <Section key={title} title={title} aside={<Light tone={tone} text={state} />}>
            <p className="hint">{text}</p>
            {facts && <Facts facts={facts} />}
          </Section>
        ))}
      </div>
    </div>
  )
}
