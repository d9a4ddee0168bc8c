import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createClient } from './client.ts'
import { createRequests } from './requests.ts'
import { createTally, type Tally } from './tally.ts'

/** Each measurement has its own process for the load. */
export interface LoadOrder {
  readonly url: string
  readonly pdas: readonly string[]
  /** Requests per second at the peak. Null: 32 clients that wait for each response. */
  readonly peakPerSecond: number | null
  /** Requests per second before and after the peak. */
  readonly calmPerSecond: number
  readonly seconds: number
}

export interface LoadReport {
  readonly before: Tally
  readonly peak: Tally
  readonly after: Tally
  /**
   * From the end of the peak to the first second after which each median stays below the earlier
   * 99th percentile and at most 5 % of the requests are refused or fail. Null if that does not
   * happen in time.
   */
  readonly recoverySeconds: number | null
}

const CLOSED_CLIENTS = 32
const CALM_SECONDS = 5
const AFTER_SECONDS = 20

export async function runLoad<Report>(order: LoadOrder): Promise<Report> {
  const child = fork(fileURLToPath(import.meta.url), [], { serialization: 'advanced' })
  child.send(order)
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the load process ended')))
  ended.catch(() => undefined)
  const [report] = (await Promise.race([once(child, 'message'), ended])) as [Report]
  child.disconnect()
  return report
}

async function measureCapacity({ url, pdas, seconds }: LoadOrder): Promise<number> {
  const client = createClient(url)
  const nextPath = createRequests(pdas)
  let answered = 0
  const end = performance.now() + seconds * 1_000
  const ask = async (): Promise<void> => {
    while (performance.now() < end) {
      if ((await client.send(nextPath(), performance.now())) === 'accepted') answered += 1
    }
  }
  await Promise.all(Array.from({ length: CLOSED_CLIENTS }, ask))
  await client.close()
  return answered / seconds
}

async function measurePeak(order: LoadOrder, peakPerSecond: number): Promise<LoadReport> {
  const client = createClient(order.url)
  const nextPath = createRequests(order.pdas)
  const before = createTally(CALM_SECONDS)
  await client.offer({
    perSecond: order.calmPerSecond,
    seconds: CALM_SECONDS,
    nextPath,
    onOutcome: before.onOutcome,
  })
  const peak = createTally(order.seconds)
  const peakEnded = client.offer({
    perSecond: peakPerSecond,
    seconds: order.seconds,
    nextPath,
    onOutcome: peak.onOutcome,
  })
  // Does not wait for the last response, because later requests arrive at once.
  await new Promise((resolve) => setTimeout(resolve, order.seconds * 1_000))
  const after = createTally(AFTER_SECONDS)
  await client.offer({
    perSecond: order.calmPerSecond,
    seconds: AFTER_SECONDS,
    nextPath,
    onOutcome: after.onOutcome,
  })
  await peakEnded
  await client.close()
  const usual = before.summary().acceptedMs.p99
  const well = after
    .seconds()
    .map(({ p50, bad }) => p50 > 0 && p50 <= usual && bad <= order.calmPerSecond / 20)
  const recovered = well.lastIndexOf(false) + 1
  return {
    before: before.summary(),
    peak: peak.summary(),
    after: after.summary(),
    recoverySeconds: recovered < well.length ? recovered : null,
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [order] = (await once(process, 'message')) as [LoadOrder]
  const report =
    order.peakPerSecond === null
      ? await measureCapacity(order)
      : await measurePeak(order, order.peakPerSecond)
  process.send?.(report)
  process.once('disconnect', () => process.exit(0))
}
