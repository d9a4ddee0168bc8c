import { decodeInstruction, parseTransaction } from '@agent-registry/client/decode'

export const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111'
export const [SET_LIMIT, SET_PRICE] = [2, 3]
const LAMPORTS_PER_SIGNATURE = 5_000n
const MICRO_LAMPORTS = 1_000_000n

/** What a transaction does and who pays, read from the bytes that the wallet will sign. */
export type DecodedTransaction = ReturnType<typeof decodeTransaction>

/** `program` is the registry program that the page trusts. Throws if the bytes are malformed. */
export function decodeTransaction(bytes: Uint8Array, program: string) {
  const { keys, signatures, instructions } = parseTransaction(bytes)
  const isBudget = ({ programId }: { readonly programId: string }): boolean => programId === COMPUTE_BUDGET
  const budget = new Map(
    instructions.filter(isBudget).map(({ data }) => [data[0] ?? -1, littleEndian(data.slice(1))]),
  )
  const micro = (budget.get(SET_PRICE) ?? 0n) * (budget.get(SET_LIMIT) ?? 0n)
  const priority = (micro + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS
  return {
    feePayer: keys[0]!.pubkey,
    /** Lamports for the signatures and the priority. */
    networkFee: BigInt(signatures.length) * LAMPORTS_PER_SIGNATURE + priority,
    /** `decoded` is null for an instruction of another program. */
    instructions: instructions
      .filter((each) => !isBudget(each))
      .map((each) => ({ programId: each.programId, decoded: decodeInstruction(each, program) })),
  }
}

export function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)
}
