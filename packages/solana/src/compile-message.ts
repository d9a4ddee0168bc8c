import { concat } from './bytes.ts'
import { type Pubkey, pubkeyBytes } from './pubkey.ts'

export interface AccountMeta<Key extends string = Pubkey> {
  readonly pubkey: Key
  readonly isSigner: boolean
  readonly isWritable: boolean
}

/** An instruction that names its accounts by key. In a compiled message they are indexes. */
export interface NamedInstruction<Key extends string = Pubkey> {
  readonly programId: Key
  readonly keys: readonly AccountMeta<Key>[]
  readonly data: Uint8Array
}

/** The first byte of a version 0 message. */
export const VERSION_0 = 0x80

/**
 * Compiles a v0 message without lookup tables. The account order is that of web3.js: the payer,
 * writable signers, other signers, writable accounts, other accounts. Within each group, accounts
 * are in the order of their first use, and a program comes before its accounts.
 */
export function compileMessage(
  payer: Pubkey,
  instructions: readonly NamedInstruction[],
  blockhash: string,
): Uint8Array {
  const accounts = collectAccounts(payer, instructions)
  const rank = (each: AccountMeta): number => (each.isSigner ? 0 : 2) + (each.isWritable ? 0 : 1)
  const ordered = accounts.toSorted((a, b) => rank(a) - rank(b))
  const count = (wanted: number): number => ordered.filter((each) => rank(each) === wanted).length
  const index = new Map(ordered.map(({ pubkey }, i) => [pubkey, i]))
  const at = (key: Pubkey): number => index.get(key) ?? 0
  const parts: (Uint8Array | number[])[] = [
    [VERSION_0, count(0) + count(1), count(1), count(3), ...compactLength(ordered.length)],
    ...ordered.map((each) => pubkeyBytes(each.pubkey)),
    pubkeyBytes(blockhash),
    compactLength(instructions.length),
  ]
  for (const { programId, keys, data } of instructions) {
    parts.push([at(programId), ...compactLength(keys.length), ...keys.map((each) => at(each.pubkey))])
    parts.push(compactLength(data.length), data)
  }
  parts.push(compactLength(0))
  return concat(...parts)
}

/** Lists every account once, with all flags that any instruction sets for it. */
export function collectAccounts<Key extends string>(
  payer: Key,
  instructions: readonly NamedInstruction<Key>[],
): AccountMeta<Key>[] {
  const accounts = new Map<Key, AccountMeta<Key>>([
    [payer, { pubkey: payer, isSigner: true, isWritable: true }],
  ])
  for (const { programId, keys } of instructions) {
    for (const each of [{ pubkey: programId, isSigner: false, isWritable: false }, ...keys]) {
      const known = accounts.get(each.pubkey)
      accounts.set(each.pubkey, {
        pubkey: each.pubkey,
        isSigner: each.isSigner || known?.isSigner === true,
        isWritable: each.isWritable || known?.isWritable === true,
      })
    }
  }
  return [...accounts.values()]
}

/** The length of a list, as compact-u16: 7 bits per byte, least significant first. */
export function compactLength(length: number): number[] {
  const bytes: number[] = []
  let rest = length
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>= 7
  }
  return [...bytes, rest]
}
