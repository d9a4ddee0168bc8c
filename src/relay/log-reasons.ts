/** The lamports that an account has and needs, from the log of the System program for 0x1. */
export function missingLamports(logs: readonly string[]): { has: bigint; needs: bigint } | undefined {
  for (const line of logs.toReversed()) {
    const [, has, needs] = /^Transfer: insufficient lamports (\d{1,20}), need (\d{1,20})$/.exec(line) ?? []
    if (has !== undefined && needs !== undefined) return { has: BigInt(has), needs: BigInt(needs) }
  }
  return undefined
}

/** The reason that the System program or a token program logged for its error 0x1. */
export function reasonInLogs(logs: readonly string[]): string | undefined {
  const lamports = missingLamports(logs)
  if (lamports !== undefined)
    return `an account has ${lamports.has} lamports, and the transfer needs ${lamports.needs}`
  return logs.includes('Program log: Error: insufficient funds')
    ? 'a token account has too few tokens'
    : undefined
}
