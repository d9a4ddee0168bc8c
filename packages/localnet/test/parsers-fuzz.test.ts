import bs58 from 'bs58'
import * as fc from '../../../test/support/property.ts'
import { describe, expect, it } from 'vitest'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAMS,
  pubkey,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
} from '@agent-registry/solana'
import { parseInstruction } from '../src/rpc/instructions/parse-instruction.ts'
import { toJson } from '../src/rpc/json-rpc.ts'
import { parseAccount } from '../src/rpc/parsed-accounts/parse-account.ts'
import { LOOKUP_TABLE_PROGRAM, SYSVAR_OWNER } from '../src/vm/program-ids.ts'

const a = MEMO_PROGRAMS[0] ?? SYSTEM_PROGRAM

describe('any bytes', () => {
  const owners = [
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    TOKEN_2022_PROGRAM,
    ASSOCIATED_TOKEN_PROGRAM,
    LOOKUP_TABLE_PROGRAM,
    UPGRADEABLE_LOADER,
    SYSVAR_OWNER,
    ...MEMO_PROGRAMS,
  ]
  const kind = fc.constantFrom<number[]>(
    ...Array.from({ length: 40 }, (_, i) => [i]),
    [255],
    ...Array.from({ length: 14 }, (_, i) => [i, 0, 0, 0]),
  )
  const data = fc
    .tuple(kind, fc.uint8Array({ maxLength: 400, size: 'max' }))
    .map(([prefix, rest]) => Uint8Array.from([...prefix, ...rest]))

  it('an instruction is parsed or partially decoded, and never an error', () => {
    const check = fc.property(
      fc.constantFrom(...owners),
      data,
      fc.array(fc.nat(9), { maxLength: 12 }),
      (program, bytes, accounts) => {
        const keys = [program, ...Array.from({ length: 9 }, () => a)]
        const shown = parseInstruction({ programIdIndex: 0, accounts, data: bytes, stackHeight: 1 }, keys)
        const plain = JSON.parse(toJson(shown)) as { programId: string; data?: string }
        expect(plain.programId).toBe(program)
        expect('parsed' in plain || plain.data === bs58.encode(bytes)).toBe(true)
      },
    )
    expect(fc.check(check, { numRuns: 2000 }).counterexample).toBeNull()
  })

  it('an account is parsed or null, and never an error', () => {
    const sysvars = ['C1ock', 'Rent', 'EpochSchedu1e', 'S1otHashes', 'RecentB1ockHashes', 'LastRestartS1ot']
    const names = sysvars.map((name) => pubkey(`Sysvar${name}${'1'.repeat(37 - name.length)}`))
    const size = fc.constantFrom(0, 36, 45, 56, 80, 82, 165, 355, 400)
    const check = fc.property(
      fc.constantFrom(...owners),
      fc.constantFrom(...names, a),
      data,
      size,
      (owner, name, bytes, length) => {
        const padded = new Uint8Array(length)
        padded.set(bytes.subarray(0, length))
        const account = { lamports: 1n, owner, data: padded, executable: false, rentEpoch: 0n }
        const shown = parseAccount(name, account, () => account)
        expect((JSON.parse(toJson(shown)) as { space: number } | null)?.space ?? length).toBe(length)
      },
    )
    expect(fc.check(check, { numRuns: 2000 }).counterexample).toBeNull()
  })
})
