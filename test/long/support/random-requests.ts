import type { Keypair } from '@solana/web3.js'
import bs58 from 'bs58'
import {
  CLOCK_SYSVAR,
  LIGHTHOUSE_PROGRAM,
  type Pubkey,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'
import { addresses, type AgentWallet, keyOf, programId } from '../../support/ledger/registry-world.ts'
import { json, type JsonInstruction } from '../../support/transactions/sponsor-clients.ts'
import { HOSTILE_REQUESTS } from '../../support/transactions/hostile-requests.ts'
import { sponsoredRegistration, update } from '../../support/transactions/parties.ts'
import type { RandomCase, RandomChange, RandomTemplate } from '../../support/transactions/random-cases.ts'

export interface Participants {
  readonly feePayer: Pubkey
  readonly wallet: Keypair
  /** The wallet with an agent, USDC and SOL. Null if it has none. */
  readonly agent: AgentWallet | null
  readonly stranger: Keypair
  /** A new one for each case. */
  readonly number: number
}

interface RandomRequest {
  instructions: JsonInstruction[]
  signers: string[]
}

/** The request of a case: a valid one with the changes of the case. */
export function requestOf(random: RandomCase, cast: Participants): RandomRequest {
  const wellMade =
    random.operation === 'register'
      ? [sponsoredRegistration(cast, { name: nameFrom(random.templates[0]?.text ?? '', cast.number) })]
      : random.templates.flatMap((each, i) => transaction(each, cast, i))
  const request = { instructions: json(wellMade), signers: [keyOf(cast.wallet) as string] }
  for (const change of random.changes) apply(change, request, cast)
  return request
}

const nameFrom = (text: string, number: number): string =>
  `${text.toWellFormed().replaceAll(/[^ -~]/g, '')} ${number}`.trim().slice(-32)

function transaction(
  { kind, text, amount }: RandomTemplate,
  { wallet, agent, number }: Participants,
  at: number,
) {
  const version = `${number}.${at}`
  if (agent === null || kind < 55)
    return [update(wallet, { version, name: kind % 2 ? null : nameFrom(text, number) })]
  const send = (name: string, args: Record<string, unknown> = {}) =>
    agent.instruction(name, { payer: agent.owner, authority: agent.owner }, args)
  const value = { amount: BigInt(amount) }
  if (kind < 70) return [send('suspend_agent'), send('reactivate_agent')]
  if (kind < 82) return [send('deposit', value)]
  if (kind < 90) return [send('request_withdrawal', value), send('cancel_withdrawal')]
  if (kind < 93) return [send('suspend_agent')]
  if (kind < 97) return [send('reactivate_agent')]
  return [send('reactivate_agent'), send('suspend_agent'), send('reactivate_agent')]
}

function keyPool({ feePayer, wallet, stranger }: Participants, { bytes }: RandomChange): string[] {
  const random = Buffer.alloc(32, 7)
  random.set(bytes.subarray(0, 32))
  return [
    feePayer,
    feePayer,
    feePayer,
    keyOf(wallet),
    keyOf(stranger),
    addresses.agent(keyOf(wallet)),
    addresses.agent(keyOf(stranger)),
    addresses.agent(feePayer),
    addresses.config(),
    programId,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    LIGHTHOUSE_PROGRAM,
    CLOCK_SYSVAR,
    bs58.encode(random),
    'not a key',
  ]
}

function apply(change: RandomChange, request: RandomRequest, cast: Participants): void {
  const { kind, at, place, value, bytes } = change
  const { instructions } = request
  const instruction = instructions[at % Math.max(instructions.length, 1)]
  const pool = keyPool(cast, change)
  const key = pool[value % pool.length] ?? ''
  const flags = { isSigner: (value & 64) !== 0, isWritable: (value & 128) !== 0 }
  if (kind === 'add hostile') {
    const hostile = HOSTILE_REQUESTS[(place * 256 + value) % HOSTILE_REQUESTS.length]
    instructions.splice(at, 0, ...json(hostile?.instructions(cast) ?? []))
    return
  }
  if (kind === 'signers') {
    request.signers = [[key], [keyOf(cast.wallet), key], [key, keyOf(cast.wallet)], []][place % 4] ?? []
    return
  }
  if (instruction === undefined) return
  const { keys } = instruction
  const account = keys[place % Math.max(keys.length, 1)]
  const data = Buffer.from(instruction.data, 'base64')
  const i = place % Math.max(data.length, 1)
  switch (kind) {
    case 'replace account':
      if (account !== undefined) account.pubkey = key
      break
    case 'flip signer':
      if (account !== undefined) account.isSigner = !account.isSigner
      break
    case 'flip writable':
      if (account !== undefined) account.isWritable = !account.isWritable
      break
    case 'drop account':
      keys.splice(place % Math.max(keys.length, 1), 1)
      break
    case 'add account':
      keys.splice(place % (keys.length + 1), 0, { pubkey: key, ...flags })
      break
    case 'swap accounts':
      keys.reverse()
      break
    case 'replace program':
      instruction.programId = key
      break
    case 'set byte':
      data[i] = value
      instruction.data = data.toString('base64')
      break
    case 'cut data':
      instruction.data = data.subarray(0, i).toString('base64')
      break
    case 'add data':
      instruction.data = Buffer.concat([data.subarray(0, i), bytes, data.subarray(i)]).toString('base64')
      break
    case 'fee payer into data':
      Buffer.from(bs58.decode(cast.feePayer)).copy(data, i)
      instruction.data = data.toString('base64')
      break
    case 'repeat instruction':
      instructions.push(structuredClone(instruction))
      break
    case 'drop instruction':
      instructions.splice(at % instructions.length, 1)
      break
    default:
      instructions.reverse()
  }
}
