import { type Check, check as step, Checks } from '../../ui/checks.tsx'
import { Light, Section, type Tone, withCommas } from '../../ui/index.ts'
import type { LedgerTransaction } from './instructions.tsx'
import type { TransactionByIdQuery, TransactionFailureCode } from './page.generated.ts'

export type Prepared = NonNullable<TransactionByIdQuery['transaction']>

export interface Shown {
  readonly prepared: Prepared | null
  readonly landed: LedgerTransaction | null
}

/** The way of the transaction, and what to do if it failed. */
export function StatusSection(shown: Shown) {
  const steps = stepsOf(shown)
  const [tone, verdict] = verdictOf(steps)
  const advice = adviceOf(shown)
  return (
    <Section
      title="Status"
      aside={
        <span role="status">
          <Light tone={tone} text={verdict} />
        </span>
      }
    >
      <Checks checks={steps} />
      {advice !== null && (
        <div className="notice" data-tone="neutral">
          <p>
            <strong>What to do.</strong> {advice}
          </p>
        </div>
      )}
    </Section>
  )
}

/** What happened, in order, and what comes next. */
function stepsOf({ prepared, landed }: Shown): Check[] {
  const steps =
    prepared === null
      ? [step('Sent', 'done', 'Its wallet sent it to the ledger, not through this service.')]
      : serviceSteps(prepared)
  const slot = landed?.slot ?? prepared?.slot ?? null
  const failed = prepared?.status === 'FAILED' || landed?.succeeded === false
  if (failed) return [...steps, failureStep({ prepared, landed })]
  const isConfirmed = landed !== null || prepared?.status === 'CONFIRMED'
  const isFinal = isConfirmed && (prepared?.final === true || landed?.final === true)
  return [
    ...steps,
    step(
      'Confirmed',
      isConfirmed ? 'done' : prepared?.status === 'SUBMITTED' ? 'now' : 'later',
      isConfirmed
        ? `It landed in slot ${slot === null ? 'unknown' : withCommas(slot)} and succeeded.`
        : 'It is in a block that most validators have voted for.',
      landed?.timestamp,
    ),
    step(
      'Finalized',
      isFinal ? 'done' : isConfirmed ? 'now' : 'later',
      isFinal ? 'Nothing can undo it.' : 'When the ledger finalizes its block, nothing can undo it.',
    ),
  ]
}

function serviceSteps({ preparedAt, submittedAt, status, lastValidBlockHeight }: Prepared): Check[] {
  const waits = status === 'SIMULATED' || status === 'PENDING'
  const until = waits ? ` It can land until block height ${withCommas(lastValidBlockHeight)}.` : ''
  const submitted =
    submittedAt === null
      ? waits
        ? step('Submitted', 'now', 'It waits for the signature of its wallet.')
        : step('Submitted', 'later', 'It was not sent to the ledger.')
      : step('Submitted', 'done', 'It was signed, and the service sent it to the ledger.', submittedAt)
  const text = `The service built it and tried it without sending it.${until}`
  return [step('Prepared', 'done', text, preparedAt), submitted]
}

function failureStep({ prepared, landed }: Shown): Check {
  const error = prepared?.error ?? null
  const time = landed?.timestamp
  if (error?.code === 'BLOCKHASH_EXPIRED')
    return step(
      'Expired',
      'failed',
      'It did not land before its last block height, and now it cannot land any more.',
      time,
    )
  const text = error?.message.replace(/^Instruction (\d+)/, numbered)
  return step('Failed', 'failed', text ?? 'A program refused it. The logs say why.', time)
}

/**
 * The relay counts from 0, without the two instructions for the compute budget. The list has all.
 */
const numbered = (_: string, index: string): string => `Instruction ${Number(index) + 3}`

/** The status in one word, with its colour. */
function verdictOf(steps: readonly Check[]): [Tone, string] {
  const failed = steps.find(({ state }) => state === 'failed')
  if (failed !== undefined) return ['bad', failed.title]
  const done = steps.findLast(({ state }) => state === 'done')
  const tone = done?.title === 'Confirmed' || done?.title === 'Finalized' ? 'good' : 'accent'
  return [tone, done?.title ?? 'Unknown']
}

const ADVICE: Readonly<Record<TransactionFailureCode, string>> = {
  BLOCKHASH_EXPIRED: 'Nothing changed and nothing was paid. Prepare and sign it again.',
  DROPPED: 'Nothing changed and nothing was paid. Prepare and sign it again.',
  SIMULATION_FAILED: 'Nothing changed and nothing was paid. Correct the reason, then prepare it again.',
  EXECUTION_FAILED:
    'It changed nothing, but its network fee was paid. Correct the reason, then prepare it again.',
  OUTCOME_UNKNOWN:
    'It may have landed. Look at the agent and the balance of the wallet before you prepare it again.',
}

/** What to do after a failure. Null if there is none. */
function adviceOf({ prepared, landed }: Shown): string | null {
  const code = prepared?.error?.code
  if (code !== undefined) return ADVICE[code]
  return landed?.succeeded === false ? ADVICE.EXECUTION_FAILED : null
}
