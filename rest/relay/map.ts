import type { PreparedTransactionFieldsFragment, TransactionFieldsFragment } from '../generated/graphql.ts'

/** `sponsored` is there only where it is true. */
export function toPrepared({ sponsored, ...rest }: PreparedTransactionFieldsFragment) {
  return sponsored ? { ...rest, sponsored } : rest
}

export function toTransaction({ sponsored, error, ...rest }: TransactionFieldsFragment) {
  return { ...rest, error: error && toFailure(error), ...(sponsored ? { sponsored } : {}) }
}

function toFailure({ logs, ...failure }: NonNullable<TransactionFieldsFragment['error']>) {
  return logs === null || logs === undefined ? failure : { ...failure, logs }
}
