import {
  ASSOCIATED_TOKEN_PROGRAM,
  decodeBase58,
  encodeBase58,
  MEMO_PROGRAMS,
  type Pubkey,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
} from '@agent-registry/solana'
import { LOOKUP_TABLE_PROGRAM } from '../../vm/program-ids.ts'
import { decodeUtf8, NotParsableError } from '../data-reader.ts'
import { parseAssociatedToken, parseLookupTable, parseUpgradeableLoader } from './programs.ts'
import { parseSystem } from './system.ts'
import { parseToken } from './token.ts'

export interface CompiledInstruction {
  readonly programIdIndex: number
  readonly accounts: ArrayLike<number>
  readonly data: Uint8Array
  readonly stackHeight: number
}

type Parser = (accounts: readonly Pubkey[], data: Uint8Array) => unknown
type NamedParser = readonly [program: string, parse: Parser]

const TOKEN: NamedParser = ['spl-token', parseToken]
const PARSERS: ReadonlyMap<string | undefined, NamedParser> = new Map([
  [SYSTEM_PROGRAM, ['system', parseSystem] as const],
  [TOKEN_PROGRAM, TOKEN],
  [TOKEN_2022_PROGRAM, TOKEN],
  [ASSOCIATED_TOKEN_PROGRAM, ['spl-associated-token-account', parseAssociatedToken] as const],
  [LOOKUP_TABLE_PROGRAM, ['address-lookup-table', parseLookupTable] as const],
  [UPGRADEABLE_LOADER, ['bpf-upgradeable-loader', parseUpgradeableLoader] as const],
  ...MEMO_PROGRAMS.map((id) => [id, ['spl-memo', parseMemo]] as const),
])

/**
 * An instruction as in the encoding `jsonParsed` of a node: `{ program, programId, parsed }`, or
 * `{ programId, accounts, data }` with data in base-58 if no parser knows it.
 */
export function parseInstruction(instruction: CompiledInstruction, keys: readonly Pubkey[]): object {
  const { programIdIndex, data, stackHeight } = instruction
  const programId = keys[programIdIndex]
  const accounts = Array.from(instruction.accounts).flatMap((index) => keys[index] ?? [])
  const [program, parse] = PARSERS.get(programId) ?? []
  try {
    if (parse !== undefined) return { program, programId, parsed: parse(accounts, data), stackHeight }
  } catch (error) {
    if (!(error instanceof NotParsableError)) throw error
  }
  return { programId, accounts, data: encodeBase58(data), stackHeight }
}

interface InnerInstructions {
  readonly index: number
  readonly instructions: readonly {
    readonly programIdIndex: number
    readonly accounts: readonly number[]
    /** Base-58. */
    readonly data: string
    readonly stackHeight: number
  }[]
}

/** The inner instructions of a transaction as in the encoding `jsonParsed`. */
export function parseInnerInstructions(
  groups: readonly InnerInstructions[],
  keys: readonly Pubkey[],
): object[] {
  return groups.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((each) =>
      parseInstruction({ ...each, data: decodeBase58(each.data) ?? new Uint8Array() }, keys),
    ),
  }))
}

function parseMemo(_accounts: readonly Pubkey[], data: Uint8Array): string {
  return decodeUtf8(data)
}
