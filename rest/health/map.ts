import { exactInteger } from '../contract/exact-integer.ts'
import type { GetDetailedHealthQuery } from '../generated/graphql.ts'

export function toDetailedHealth({
  detailedHealth: { status, rpc, feePayer, ...rest },
}: GetDetailedHealthQuery) {
  const { balanceLamports, balanceSol, ...payer } = feePayer
  const lamports = balanceLamports == null ? null : exactInteger(balanceLamports)
  return { status, rpc, feePayer: { ...payer, balanceLamports: lamports, balanceSol }, ...rest }
}
