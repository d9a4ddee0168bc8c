import type { PreparedTransactionFieldsFragment } from '../generated/graphql.ts'

/** In the contract, `sponsored` is present only if it is true. */
export function toPrepared({ sponsored, ...rest }: PreparedTransactionFieldsFragment) {
  return sponsored ? { ...rest, sponsored } : rest
}
