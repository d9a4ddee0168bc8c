import { CommandError } from './command-error.ts'

/** Converts a decimal number to base units without rounding. Throws CommandError. */
export function decimal(text: string, decimals: number): bigint {
  const match = /^(\d{1,9})(?:\.(\d+))?$/.exec(text)
  const fraction = match?.[2] ?? ''
  if (match === null || fraction.length > decimals) {
    throw new CommandError(`must be a number with at most ${decimals} decimals, got ${text}`)
  }
  return BigInt((match[1] ?? '') + fraction.padEnd(decimals, '0'))
}
