import { exactInteger } from '../exact-integer.ts'
import type { GetDetailedHealthQuery } from '../generated/graphql.ts'

export function toDetailedHealth({ detailedHealth: { feePayer, ...rest } }: GetDetailedHealthQuery) {
  const { balanceLamports } = feePayer
  return {
    ...rest,
    feePayer: {
      ...feePayer,
      balanceLamports: balanceLamports == null ? null : exactInteger(balanceLamports),
    },
  }
}
