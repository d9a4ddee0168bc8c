import {
  type Pubkey,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
} from '@agent-registry/solana'
import type { Account, AccountReader } from '../../vm/account.ts'
import { LOOKUP_TABLE_PROGRAM, SYSVAR_OWNER } from '../../vm/program-ids.ts'
import { NotParsableError } from '../data-reader.ts'
import { parseLookupTable, parseNonce, parseUpgradeableLoader } from './programs.ts'
import { parseSysvar } from './sysvars.ts'
import { parseTokenProgramAccount } from './token.ts'

type Parser = (account: Account, read: AccountReader, key: Pubkey) => object

const PARSERS: ReadonlyMap<string, readonly [program: string, parse: Parser]> = new Map<
  string,
  readonly [string, Parser]
>([
  [SYSTEM_PROGRAM, ['nonce', parseNonce]],
  [TOKEN_PROGRAM, ['spl-token', parseTokenProgramAccount]],
  [TOKEN_2022_PROGRAM, ['spl-token-2022', parseTokenProgramAccount]],
  [LOOKUP_TABLE_PROGRAM, ['address-lookup-table', parseLookupTable]],
  [UPGRADEABLE_LOADER, ['bpf-upgradeable-loader', parseUpgradeableLoader]],
  [SYSVAR_OWNER, ['sysvar', parseSysvar]],
])

/** The member `data` in the encoding `jsonParsed`, or null if no parser knows the account. */
export function parseAccount(key: Pubkey, account: Account, read: AccountReader): object | null {
  const [program, parse] = PARSERS.get(account.owner) ?? []
  try {
    return parse === undefined
      ? null
      : { program, parsed: parse(account, read, key), space: account.data.length }
  } catch (error) {
    if (error instanceof NotParsableError) return null
    throw error
  }
}
