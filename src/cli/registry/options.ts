import { type Command, InvalidArgumentError } from 'commander'
import { AmountError, usdc } from '@agent-registry/client/money'
import { isPubkey, type Pubkey } from '@agent-registry/solana'

const DAY_SECONDS = 86_400n

export interface ClusterOptions {
  url?: string
  program?: Pubkey
}

export interface SigningOptions extends ClusterOptions {
  keypair: string
  dryRun?: boolean
  priorityFee: number
}

export function withClusterOptions(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'RPC URL, or devnet, testnet or mainnet-beta; default SOLANA_RPC_URL, or the running localnet',
    )
    .option('--program <address>', 'address of the registry program; default REGISTRY_PROGRAM_ID', asPubkey)
}

export function withSigningOptions(command: Command, keypair: string, isRequired = true): Command {
  const flags = '--keypair <file>'
  if (isRequired) command.requiredOption(flags, keypair)
  else command.option(flags, keypair)
  return withClusterOptions(command)
    .option('--dry-run', 'print and simulate the transaction without sending it')
    .option('--priority-fee <price>', 'micro-lamports per compute unit', asInteger(0, 1_000_000_000), 0)
}

/** For an option that can be repeated. */
export function collect(value: string, values: string[] | undefined): string[] {
  return [...(values ?? []), value]
}

export function asPubkey(text: string): Pubkey {
  if (isPubkey(text)) return text
  throw new InvalidArgumentError('It must be a base-58 public key of 32 bytes.')
}

export function asInteger(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

export function asLabel(text: string): string {
  const bytes = Buffer.byteLength(text)
  if (bytes >= 1 && bytes <= 32) return text
  throw new InvalidArgumentError('It must have 1 to 32 bytes.')
}

export function asBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidArgumentError('It must be true or false.')
}

/** An option or argument that is read by `usdc` or `sol`. */
export const asAmount =
  (parse: (text: string) => bigint) =>
  (text: string): bigint => {
    try {
      return parse(text)
    } catch (error) {
      throw error instanceof AmountError ? new InvalidArgumentError(error.reason) : error
    }
  }

/** `0,100,500,1000` in USDC becomes base units. */
export function asThresholds(text: string): bigint[] {
  const amounts = text.split(',').map((each) => asAmount(usdc)(each.trim()))
  const isAscending = amounts.every((each, i) => (i === 0 ? each === 0n : each > (amounts[i - 1] ?? 0n)))
  if (amounts.length === 4 && isAscending) return amounts
  throw new InvalidArgumentError('It must be four ascending amounts of USDC from 0, such as 0,100,500,1000.')
}

export function asCooldown(text: string): bigint {
  return BigInt(asInteger(1, 90)(text)) * DAY_SECONDS
}
