import type { Counter } from 'prom-client'
import { isDomainError } from '../../domain/errors.ts'

/** Counts how a piece of work ended: `ok`, the code of the error that its client is told, or `error` for a defect. */
export async function countOutcome<Result>(
  counter: Counter<'operation' | 'outcome'>,
  operation: string,
  work: Promise<Result>,
): Promise<Result> {
  try {
    const result = await work
    counter.inc({ operation, outcome: 'ok' })
    return result
  } catch (error) {
    counter.inc({ operation, outcome: isDomainError(error) ? error.code : 'error' })
    throw error
  }
}
