import type { TransactionInstruction } from '@solana/web3.js'
import { LIGHTHOUSE_PROGRAM } from '@agent-registry/solana'
import { addresses, keyOf } from '../ledger/registry-world.ts'
import {
  altered,
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

/**
 * Registrations, and the error of POST /sponsor/register. The other operations refuse them because
 * they have no code.
 */
export const REGISTRATIONS: Record<string, [Build, string]> = {
  'the fee payer as owner': [
    (p) => [withAccount(sponsoredRegistration(p), 1, { pubkey: publicKey(p.feePayer) })],
    misused('keys[1]'),
  ],
  'the fee payer as the agent account': [
    (p) => [withAccount(sponsoredRegistration(p), 2, { pubkey: publicKey(p.feePayer) })],
    misused('keys[2]'),
  ],
  'the fee payer as deactivation record': [
    (p) => [withAccount(sponsoredRegistration(p), 3, { pubkey: publicKey(p.feePayer) })],
    misused('keys[3]'),
  ],
  'the fee payer as an account more': [
    (p) => [withMore(sponsoredRegistration(p), meta(p.feePayer, { isSigner: true, isWritable: true }))],
    misused('keys[8]'),
  ],
  'the fee payer as an account more, read only': [
    (p) => [withMore(sponsoredRegistration(p), meta(p.feePayer))],
    misused('keys[8]'),
  ],
  'the fee payer in the data, as the hash of the card': [
    (p) => [sponsoredRegistration(p, { agentCardHash: publicKey(p.feePayer).toBytes() })],
    misused('data'),
  ],
  'the registration twice': [
    (p) => [sponsoredRegistration(p), sponsoredRegistration(p)],
    'Too many instructions: 2, at most 1',
  ],
  'a second registration, of a stranger': [
    (p) => [sponsoredRegistration(p), sponsoredRegistration({ ...p, wallet: p.stranger })],
    'Too many instructions: 2, at most 1',
  ],
  'the agent account of a stranger': [
    (p) => [
      withAccount(sponsoredRegistration(p), 2, { pubkey: publicKey(addresses.agent(keyOf(p.stranger))) }),
    ],
    notSponsored('.keys[2]', 'agent must be KEY'),
  ],
  'the deactivation record of a stranger': [
    (p) => [
      withAccount(sponsoredRegistration(p), 3, {
        pubkey: publicKey(addresses.deactivationRecord(keyOf(p.stranger))),
      }),
    ],
    notSponsored('.keys[3]', 'deactivation_record must be KEY'),
  ],
  'another config': [
    (p) => [withAccount(sponsoredRegistration(p), 4, { pubkey: p.stranger.publicKey })],
    notSponsored('.keys[4]', 'config must be KEY'),
  ],
  'a registration of a stranger': [
    (p) => [sponsoredRegistration({ ...p, wallet: p.stranger })],
    notSponsored('.keys[1]', 'owner must be KEY'),
  ],
  'another payer': [
    (p) => [withAccount(sponsoredRegistration(p), 0, { pubkey: p.wallet.publicKey })],
    'instructions[0].keys[0] (payer) must be the fee payer KEY',
  ],
  'a payer that does not sign': [
    (p) => [withAccount(sponsoredRegistration(p), 0, { isSigner: false })],
    notSponsored('.keys[0]', 'payer must have isSigner true, isWritable true'),
  ],
  'an owner that does not sign': [
    (p) => [withAccount(sponsoredRegistration(p), 1, { isSigner: false })],
    notSponsored('.keys[1]', 'owner must have isSigner true, isWritable false'),
  ],
  'an owner that is written': [
    (p) => [withAccount(sponsoredRegistration(p), 1, { isWritable: true })],
    notSponsored('.keys[1]', 'owner must have isSigner true, isWritable false'),
  ],
  'an account less': [
    (p) => [altered(sponsoredRegistration(p), { keys: (keys) => keys.slice(0, -1) })],
    notSponsored('', 'register_agent takes 8 accounts, got 7'),
  ],
  'an account more': [
    (p) => [withMore(sponsoredRegistration(p), meta(p.stranger.publicKey))],
    notSponsored('', 'register_agent takes 8 accounts, got 9'),
  ],
  'a signer more': [
    (p) => [withMore(sponsoredRegistration(p), meta(p.stranger.publicKey, { isSigner: true }))],
    notSponsored('', 'register_agent takes 8 accounts, got 9'),
  ],
  'another program in the place of the System program': [
    (p) => [withAccount(sponsoredRegistration(p), 5, { pubkey: publicKey(LIGHTHOUSE_PROGRAM) })],
    notSponsored('.keys[5]', 'system_program must be KEY'),
  ],
}

/**
 * Other instructions of the registry that may cost the fee payer something, and the error of the
 * operations that need no code.
 */
export const TRANSACTIONS: Record<string, [Build, string]> = {
  'a deposit whose vault the fee payer opens': [
    (p) => [deposit(p, { payer: p.feePayer })],
    misused('keys[0]'),
  ],
  'a deposit from the fee payer’s tokens': [
    (p) => [deposit(p, { ownerToken: p.feePayer })],
    misused('keys[5]'),
  ],
  'the fee payer as owner of update_agent': [
    (p) => [withAccount(update(p.wallet), 0, { pubkey: publicKey(p.feePayer) })],
    misused('keys[0]'),
  ],
  'an update with the fee payer as an account more': [
    (p) => [withMore(update(p.wallet), meta(p.feePayer))],
    misused('keys[5]'),
  ],
  'the fee payer as event authority of an update': [
    (p) => [withAccount(update(p.wallet), 3, { pubkey: publicKey(p.feePayer) })],
    misused('keys[3]'),
  ],
  'a stranger as event authority of an update': [
    (p) => [withAccount(update(p.wallet), 3, { pubkey: p.stranger.publicKey })],
    notSponsored('.keys[3]', 'event_authority must be KEY'),
  ],
  'another program to which an update sends its event': [
    (p) => [withAccount(update(p.wallet), 4, { pubkey: publicKey(LIGHTHOUSE_PROGRAM) })],
    notSponsored('.keys[4]', 'program must be KEY'),
  ],
  'an update with a stranger as an account more': [
    (p) => [withMore(update(p.wallet), meta(p.stranger.publicKey, { isWritable: true }))],
    notSponsored('', 'update_agent takes 5 accounts, got 6'),
  ],
  'an update with the fee payer in the data': [
    (p) => [
      update(p.wallet, {
        agentCardUrl: 'https://agents.example.org/card.json',
        agentCardHash: publicKey(p.feePayer).toBytes(),
      }),
    ],
    misused('data'),
  ],
  'the fee payer as authority of suspend_agent': [
    (p) => [withAccount(ownInstruction(p.wallet, 'suspend_agent'), 0, { pubkey: publicKey(p.feePayer) })],
    misused('keys[0]'),
  ],
  'close_agent with the rent to the fee payer': [
    (p) => [ownInstruction(p.wallet, 'close_agent', { rentPayer: p.feePayer })],
    notSponsored('', `close_agent ${ONLY_TRANSACTIONS}`),
  ],
  'close_agent with the rent to the wallet': [
    (p) => [ownInstruction(p.wallet, 'close_agent', { rentPayer: keyOf(p.wallet) })],
    notSponsored('', `close_agent ${ONLY_TRANSACTIONS}`),
  ],
  deactivate_agent: [
    (p) => [ownInstruction(p.wallet, 'deactivate_agent')],
    notSponsored('', `deactivate_agent ${ONLY_TRANSACTIONS}`),
  ],
  close_deactivation_record: [
    (p) => [ownInstruction(p.wallet, 'close_deactivation_record')],
    notSponsored('', `close_deactivation_record ${ONLY_TRANSACTIONS}`),
  ],
  'register_reporter, paid by the fee payer': [
    (p) => [
      ownInstruction(
        p.wallet,
        'register_reporter',
        { admin: p.feePayer, authority: keyOf(p.wallet) },
        { label: 'x', weight: 5 },
      ),
    ],
    notSponsored('', `register_reporter ${ONLY_TRANSACTIONS}`),
  ],
  'update_config with the fee payer as admin': [
    (p) => [
      ownInstruction(
        p.wallet,
        'update_config',
        { admin: p.feePayer },
        { admin: keyOf(p.wallet), treasury: null, tierThresholds: null, cooldownSeconds: null, paused: true },
      ),
    ],
    notSponsored('', `update_config ${ONLY_TRANSACTIONS}`),
  ],
}

/** Input that no operation accepts as an instruction. */
export const NONSENSE: Record<string, [Build, string]> = {
  'the fee payer as program': [
    (p) => [altered(sponsoredRegistration(p), { programId: publicKey(p.feePayer) })],
    NOT_ALLOWED,
  ],
  'the fee payer in the data, behind the arguments': [
    (p) => {
      const instruction = sponsoredRegistration(p)
      const data = Buffer.concat([instruction.data, publicKey(p.feePayer).toBytes()])
      return [altered(instruction, { data })]
    },
    NO_INSTRUCTION,
  ],
  'data of no instruction': [
    (p) => [altered(update(p.wallet), { data: new Uint8Array(8).fill(7) })],
    NO_INSTRUCTION,
  ],
  'data cut in the middle': [
    (p) => [altered(sponsoredRegistration(p), { data: sponsoredRegistration(p).data.subarray(0, 20) })],
    NO_INSTRUCTION,
  ],
  'no data': [(p) => [altered(sponsoredRegistration(p), { data: new Uint8Array() })], NO_INSTRUCTION],
}

function deposit({ wallet }: Parties, accounts: Record<string, ReturnType<typeof keyOf>>) {
  const owner = keyOf(wallet)
  return ownInstruction(
    wallet,
    'deposit',
    { ownerToken: owner, usdcMint: owner, ...accounts },
    { amount: 1_000_000n },
  )
}
