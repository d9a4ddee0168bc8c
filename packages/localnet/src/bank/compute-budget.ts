import {
  COMPUTE_BUDGET_PROGRAM,
  type Message,
  SYSTEM_PROGRAM,
  type TransactionConfig,
  UPGRADEABLE_LOADER,
} from '@agent-registry/solana'

const LAMPORTS_PER_SIGNATURE = 5_000n
const MAX_UNITS = 1_400_000
const DEFAULT_UNITS = 200_000
// SIMD-0170: the default for an instruction of a program that is part of the VM.
const BUILTIN_UNITS = 3_000
const BUILTINS: ReadonlySet<string> = new Set([
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  UPGRADEABLE_LOADER,
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
])
// Programs whose first data byte is a number of signatures. Each costs as much as one of the
// transaction.
const PRECOMPILES: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
])

interface ComputeBudget {
  readonly units: number
  /** Micro-lamports per compute unit. */
  readonly price: bigint
  /** Lamports, in addition to the fee for signatures. */
  readonly priorityFee: bigint
}

export function computeBudget(message: Message): ComputeBudget {
  return message.config === null ? budgetOfInstructions(message) : budgetOfConfig(message.config)
}

/** Version 1 has no defaults, and its fee does not depend on the units. */
function budgetOfConfig({ computeUnitLimit, priorityFee }: TransactionConfig): ComputeBudget {
  const units = Math.min(computeUnitLimit ?? 0, MAX_UNITS)
  const fee = priorityFee ?? 0n
  return { units, price: units === 0 ? 0n : (fee * 1_000_000n) / BigInt(units), priorityFee: fee }
}

function budgetOfInstructions(message: Message): ComputeBudget {
  let limit: number | undefined
  let price = 0n
  let fallback = 0
  for (const { programIdIndex, data } of message.instructions) {
    const program = message.staticKeys[programIdIndex] ?? ''
    fallback += BUILTINS.has(program) || PRECOMPILES.has(program) ? BUILTIN_UNITS : DEFAULT_UNITS
    if (program !== COMPUTE_BUDGET_PROGRAM) continue
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    if (data[0] === 2 && data.length >= 5) limit = view.getUint32(1, true)
    if (data[0] === 3 && data.length >= 9) price = view.getBigUint64(1, true)
  }
  const units = Math.min(limit ?? fallback, MAX_UNITS)
  return { units, price, priorityFee: (price * BigInt(units) + 999_999n) / 1_000_000n }
}

/** The fee in lamports: signatures, and the priority fee, rounded up. */
export function feeForMessage(message: Message): bigint {
  const { priorityFee } = computeBudget(message)
  let signatures = BigInt(message.requiredSignatures)
  for (const { programIdIndex, data } of message.instructions) {
    if (PRECOMPILES.has(message.staticKeys[programIdIndex] ?? '')) signatures += BigInt(data[0] ?? 0)
  }
  return signatures * LAMPORTS_PER_SIGNATURE + priorityFee
}
