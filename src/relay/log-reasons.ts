/** The reason that the System program or a token program logged for its error 0x1. */
export function reasonInLogs(logs: readonly string[]): string | undefined {
  for (const line of logs.toReversed()) {
    const [, has, needs] = /^Transfer: insufficient lamports (\d{1,20}), need (\d{1,20})$/.exec(line) ?? []
    if (has !== undefined) return `an account has ${has} lamports, and the transfer needs ${needs}`
    if (line === 'Program log: Error: insufficient funds') return 'a token account has too few tokens'
  }
  return undefined
}
