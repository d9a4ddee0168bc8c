import { Keypair, type TransactionInstruction } from '@solana/web3.js'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-registry/solana'
import { registryIdl } from '@agent-registry/program'
import { keyOf } from '../ledger/registry-world.ts'
import { BUDGET, OTHER_PROGRAMS, SYSTEM, TOKEN, token } from './hostile-programs.ts'
import {
  NEEDS_CODE,
  NONSENSE,
  NOT_ALLOWED,
  onlyRegistrations,
  REGISTRATIONS,
  TRANSACTIONS,
} from './hostile-registry.ts'
import { type Parties, publicKey, sponsoredRegistration } from './parties.ts'

/**
 * A request with the error text of POST /sponsor/register and of the other operations. `KEY` stands
 * for any key.
 */
interface HostileRequest {
  readonly name: string
  readonly instructions: (parties: Parties) => TransactionInstruction[]
  readonly register: string
  readonly transaction: string
}

const somebody = Keypair.fromSeed(new Uint8Array(32).fill(4))
/** Placeholder keys to build instructions without a ledger. */
const ANYBODY: Parties = { feePayer: keyOf(somebody), wallet: somebody, stranger: somebody }

const entries = <Value>(record: Record<string, Value>): [string, Value][] => Object.entries(record)
const COMPUTE_BUDGET = 'The service adds compute budget instructions. Set priorityLevel instead.'

/** Requests for sponsorship that every operation must refuse. */
export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  ...entries(SYSTEM).flatMap(([name, build]) =>
    foreign(`System: ${name}`, ({ feePayer, wallet }) => build(publicKey(feePayer), wallet.publicKey)),
  ),
  ...Object.keys(TOKEN).flatMap((kind) =>
    foreign(`SPL Token: ${kind}`, (p) => token(TOKEN_PROGRAM, kind, p)),
  ),
  ...Object.keys(TOKEN).flatMap((kind) =>
    foreign(`Token-2022: ${kind}`, (p) => token(TOKEN_2022_PROGRAM, kind, p)),
  ),
  ...entries(OTHER_PROGRAMS).flatMap(([name, build]) => foreign(name, build)),
  ...entries(BUDGET).flatMap(([name, build]) => foreign(name, build, COMPUTE_BUDGET)),
  ...entries(REGISTRATIONS).map(([name, [instructions, register]]) => ({
    name: `a registration: ${name}`,
    instructions,
    register,
    transaction: NEEDS_CODE,
  })),
  ...entries(TRANSACTIONS).map(([name, [instructions, transaction]]) => {
    const register = (p: Parties): string => onlyRegistrations(nameOf(instructions(p)))
    return { name, instructions, register: register(ANYBODY), transaction }
  }),
  ...entries(NONSENSE).map(([name, [instructions, text]]) => ({
    name,
    instructions,
    register: text,
    transaction: text,
  })),
]

/** Each attack alone, and after a valid instruction. */
function foreign(
  name: string,
  build: (parties: Parties) => TransactionInstruction,
  text = NOT_ALLOWED,
): HostileRequest[] {
  const refused = { register: text, transaction: text }
  return [
    { name, instructions: (p) => [build(p)], ...refused },
    {
      name: `${name}, beside what is sponsored`,
      instructions: (p) => [sponsoredRegistration(p), build(p)],
      ...refused,
    },
  ]
}

function nameOf([instruction]: TransactionInstruction[]): string {
  const head = instruction?.data.subarray(0, 8).toString('hex')
  const found = registryIdl.instructions.find(
    (each) => Buffer.from(each.discriminator).toString('hex') === head,
  )
  return found?.name ?? ''
}
