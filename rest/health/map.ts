import type { GetDetailedHealthQuery } from '../generated/graphql.ts'

export function toDetailedHealth({ detailedHealth: { feePayer, ...rest } }: GetDetailedHealthQuery) {
  const { balanceLamports } = feePayer
  return {
    ...rest,
    feePayer: { ...feePayer, balanceLamports: balanceLamports == null ? null : BigInt(balanceLamports) },
  }
}
