import type { TransactionInstruction } from '@solana/web3.js'
import { LIGHTHOUSE_PROGRAM, type Pubkey } from '@agent-registry/solana'
import { addresses, keyOf } from '../ledger/registry-world.ts'
import {
  altered,
  type Meta,
  meta,
  ownInstruction,
  type Parties,
  publicKey,
  sponsoredRegistration,
  update,
  withAccount,
  withMore,
} from './parties.ts'

const misused = (at: string): string => `The fee payer KEY must not appear in instructions[0].${at}`
const notSponsored = (at: string, problem: string): string =>
  `instructions[0]${at} cannot be sponsored: ${problem}`
export const onlyRegistrations = (got: string): string =>
  notSponsored('', `a registration has one register_agent, got ${got}`)
const ONLY_TRANSACTIONS =
  'is not one of update_agent, suspend_agent, reactivate_agent, deposit, request_withdrawal, cancel_withdrawal, complete_withdrawal'
export const NEEDS_CODE = 'A sponsored registration requires an invite code: use POST /sponsor/register'
export const NOT_ALLOWED = 'Program KEY is not allowed by this relay'
const NO_INSTRUCTION = notSponsored('', 'its data is not a registry instruction')

type Build = (parties: Parties) => TransactionInstruction[]
type Attack = [Build, error: string]
type Change = (parties: Parties) => Partial<Meta>

const toFeePayer: Change = ({ feePayer }) => ({ pubkey: publicKey(feePayer) })
const toStranger: Change = ({ stranger }) => ({ pubkey: stranger.publicKey })
const toLighthouse: Change = () => ({ pubkey: publicKey(LIGHTHOUSE_PROGRAM) })
const flags = (given: Partial<Meta>) => (): Partial<Meta> => given

const registering = (at: number, change: Change, error: string): Attack => [
  (p) => [withAccount(sponsoredRegistration(p), at, change(p))],
  error,
]
const registeringWith = (account: (p: Parties) => Meta, error: string): Attack => [
  (p) => [withMore(sponsoredRegistration(p), account(p))],
  error,
]
const updating = (at: number, change: Change, error: string): Attack => [
  (p) => [withAccount(update(p.wallet), at, change(p))],
  error,
]
/** An instruction of the wallet's agent that is not sponsored. */
const other = (
  name: string,
  accounts: (p: Parties) => Record<string, Pubkey> = () => ({}),
  args: (p: Parties) => Record<string, unknown> = () => ({}),
): Attack => [
  (p) => [ownInstruction(p.wallet, name, accounts(p), args(p))],
  notSponsored('', `${name} ${ONLY_TRANSACTIONS}`),
]
const accounts = (count: number): string => notSponsored('', `register_agent takes 8 accounts, got ${count}`)
const NOT_WRITTEN = notSponsored('.keys[1]', 'owner must have isSigner true, isWritable false')
const ONE_INSTRUCTION = 'Too many instructions: 2, at most 1'

/**
 * Registrations, and the error of POST /sponsor/register. The other operations refuse them because
 * they have no code.
 */
export const REGISTRATIONS: Record<string, Attack> = {
  'the fee payer as owner': registering(1, toFeePayer, misused('keys[1]')),
  'the fee payer as the agent account': registering(2, toFeePayer, misused('keys[2]')),
  'the fee payer as deactivation record': registering(3, toFeePayer, misused('keys[3]')),
  'the fee payer as an account more': registeringWith(
    (p) => meta(p.feePayer, { isSigner: true, isWritable: true }),
    misused('keys[8]'),
  ),
  'the fee payer as an account more, read only': registeringWith((p) => meta(p.feePayer), misused('keys[8]')),
  'the fee payer in the data, as the hash of the card': [
    (p) => [sponsoredRegistration(p, { agentCardHash: publicKey(p.feePayer).toBytes() })],
    misused('data'),
  ],
  'the registration twice': [(p) => [sponsoredRegistration(p), sponsoredRegistration(p)], ONE_INSTRUCTION],
  'a second registration, of a stranger': [
    (p) => [sponsoredRegistration(p), sponsoredRegistration({ ...p, wallet: p.stranger })],
    ONE_INSTRUCTION,
  ],
  'the agent account of a stranger': registering(
    2,
    (p) => ({ pubkey: publicKey(addresses.agent(keyOf(p.stranger))) }),
    notSponsored('.keys[2]', 'agent must be KEY'),
  ),
  'the deactivation record of a stranger': registering(
    3,
    (p) => ({ pubkey: publicKey(addresses.deactivationRecord(keyOf(p.stranger))) }),
    notSponsored('.keys[3]', 'deactivation_record must be KEY'),
  ),
  'another config': registering(4, toStranger, notSponsored('.keys[4]', 'config must be KEY')),
  'a registration of a stranger': [
    (p) => [sponsoredRegistration({ ...p, wallet: p.stranger })],
    notSponsored('.keys[1]', 'owner must be KEY'),
  ],
  'another payer': registering(
    0,
    (p) => ({ pubkey: p.wallet.publicKey }),
    'instructions[0].keys[0] (payer) must be the fee payer KEY',
  ),
  'a payer that does not sign': registering(
    0,
    flags({ isSigner: false }),
    notSponsored('.keys[0]', 'payer must have isSigner true, isWritable true'),
  ),
  'an owner that does not sign': registering(1, flags({ isSigner: false }), NOT_WRITTEN),
  'an owner that is written': registering(1, flags({ isWritable: true }), NOT_WRITTEN),
  'an account less': [
    (p) => [altered(sponsoredRegistration(p), { keys: (keys) => keys.slice(0, -1) })],
    accounts(7),
  ],
  'an account more': registeringWith((p) => meta(p.stranger.publicKey), accounts(9)),
  'a signer more': registeringWith((p) => meta(p.stranger.publicKey, { isSigner: true }), accounts(9)),
  'another program in the place of the System program': registering(
    5,
    toLighthouse,
    notSponsored('.keys[5]', 'system_program must be KEY'),
  ),
}

/**
 * Other instructions of the registry that may cost the fee payer something, and the error of the
 * operations that need no code.
 */
export const TRANSACTIONS: Record<string, Attack> = {
  'a deposit whose vault the fee payer opens': [
    (p) => [deposit(p, { payer: p.feePayer })],
    misused('keys[0]'),
  ],
  'a deposit from the fee payer’s tokens': [
    (p) => [deposit(p, { ownerToken: p.feePayer })],
    misused('keys[5]'),
  ],
  'the fee payer as owner of update_agent': updating(0, toFeePayer, misused('keys[0]')),
  'an update with the fee payer as an account more': [
    (p) => [withMore(update(p.wallet), meta(p.feePayer))],
    misused('keys[5]'),
  ],
  'the fee payer as event authority of an update': updating(3, toFeePayer, misused('keys[3]')),
  'a stranger as event authority of an update': updating(
    3,
    toStranger,
    notSponsored('.keys[3]', 'event_authority must be KEY'),
  ),
  'another program to which an update sends its event': updating(
    4,
    toLighthouse,
    notSponsored('.keys[4]', 'program must be KEY'),
  ),
  'an update with a stranger as an account more': [
    (p) => [withMore(update(p.wallet), meta(p.stranger.publicKey, { isWritable: true }))],
    notSponsored('', 'update_agent takes 5 accounts, got 6'),
  ],
  'an update with the fee payer in the data': [
    ({ wallet, feePayer }) => {
      const agentCardHash = publicKey(feePayer).toBytes()
      return [update(wallet, { agentCardUrl: 'https://agents.example.org/card.json', agentCardHash })]
    },
    misused('data'),
  ],
  'the fee payer as authority of suspend_agent': [
    (p) => [withAccount(ownInstruction(p.wallet, 'suspend_agent'), 0, toFeePayer(p))],
    misused('keys[0]'),
  ],
  'close_agent with the rent to the fee payer': other('close_agent', (p) => ({ rentPayer: p.feePayer })),
  'close_agent with the rent to the wallet': other('close_agent', (p) => ({ rentPayer: keyOf(p.wallet) })),
  deactivate_agent: other('deactivate_agent'),
  close_deactivation_record: other('close_deactivation_record'),
  'register_reporter, paid by the fee payer': other(
    'register_reporter',
    (p) => ({ admin: p.feePayer, authority: keyOf(p.wallet) }),
    () => ({ label: 'x', weight: 5 }),
  ),
  'update_config with the fee payer as admin': other(
    'update_config',
    (p) => ({ admin: p.feePayer }),
    (p) => ({
      admin: keyOf(p.wallet),
      treasury: null,
      tierThresholds: null,
      cooldownSeconds: null,
      paused: true,
    }),
  ),
}

/** Input that no operation accepts as an instruction. */
export const NONSENSE: Record<string, Attack> = {
  'the fee payer as program': [
    (p) => [altered(sponsoredRegistration(p), { programId: publicKey(p.feePayer) })],
    NOT_ALLOWED,
  ],
  'the fee payer in the data, behind the arguments': withData((data, { feePayer }) =>
    Buffer.concat([data, publicKey(feePayer).toBytes()]),
  ),
  'data of no instruction': withData(() => new Uint8Array(8).fill(7)),
  'data cut in the middle': withData((data) => data.subarray(0, 20)),
  'no data': withData(() => new Uint8Array()),
}

function withData(change: (data: Buffer, parties: Parties) => Uint8Array): Attack {
  const build: Build = (p) => {
    const instruction = sponsoredRegistration(p)
    return [altered(instruction, { data: change(instruction.data, p) })]
  }
  return [build, NO_INSTRUCTION]
}

function deposit({ wallet }: Parties, given: Record<string, Pubkey>) {
  const owner = keyOf(wallet)
  return ownInstruction(
    wallet,
    'deposit',
    { ownerToken: owner, usdcMint: owner, ...given },
    { amount: 1_000_000n },
  )
}
