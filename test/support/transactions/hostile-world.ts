import { readFileSync } from 'node:fs'
import { Keypair, type TransactionInstruction } from '@solana/web3.js'
import { LIGHTHOUSE_PROGRAM, type Pubkey } from '@agent-registry/solana'
import { createLocalSigner } from '../../../src/platform/keys.ts'
import { HOSTILE_FILE } from '../hostile-program/build.ts'
import { keyOf } from '../ledger/registry-world.ts'
import { sponsoredRegistration } from './parties.ts'
import {
  json,
  type SubmittedTransaction,
  type Prepared,
  type SponsorClient,
  type ClientResponse,
} from './sponsor-clients.ts'
import { createSponsorWorld, type SponsorWorldOptions } from './sponsor-world.ts'
import { signed } from './relay-world.ts'
import { perFile } from '../lifetime.ts'

export { keyOf } from '../ledger/registry-world.ts'

/** An assertion of kind 5 and two zeros logs an empty text, and more of the script may follow. */
export const HOSTILE_LIGHTHOUSE = {
  programId: LIGHTHOUSE_PROGRAM,
  elf: readFileSync(HOSTILE_FILE),
  authority: LIGHTHOUSE_PROGRAM,
}

/**
 * The sponsor world with the hostile program in the place of Lighthouse. The balance of the fee
 * payer is that at processed.
 */
export async function createHostileWorld(options: SponsorWorldOptions = {}) {
  const world = await createSponsorWorld(createLocalSigner, {
    slotMs: 40,
    lamports: 100_000_000_000,
    programs: [HOSTILE_LIGHTHOUSE],
    ...options,
  })
  const { feePayer } = world
  return {
    ...world,
    balance: () => world.connection.getBalance(feePayer.publicKey, 'processed'),
    states: async () => {
      const rows = await world.t.kysely.selectFrom('sponsorships').select('state').execute()
      const counts: Record<string, number> = {}
      for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1
      return counts
    },
    /** A wallet with a sponsored agent. */
    sponsoredWallet: async (api: SponsorClient) => {
      const wallet = Keypair.generate()
      const inviteCode = await world.code()
      const { body } = await registerBy(api, wallet, keyOf(feePayer), inviteCode)
      const landed = await submitRegistrationBy(api, body, wallet, inviteCode)
      if (landed.body.status !== 'confirmed') throw new Error(`not registered: ${JSON.stringify(landed)}`)
      return wallet
    },
  }
}
export type HostileWorld = Awaited<ReturnType<typeof createHostileWorld>>

export const useHostileWorld = (options?: SponsorWorldOptions): HostileWorld =>
  perFile(() => createHostileWorld(options))

export function registerBy(
  api: SponsorClient,
  wallet: Keypair,
  feePayer: Pubkey,
  inviteCode: string,
  instructions: TransactionInstruction[] = [sponsoredRegistration({ feePayer, wallet })],
): Promise<ClientResponse<Prepared>> {
  return api.register({ instructions: json(instructions), signerPubkey: keyOf(wallet), inviteCode })
}

export function submitRegistrationBy(
  api: SponsorClient,
  { id, serializedTx }: Prepared,
  wallet: Keypair,
  inviteCode: string,
): Promise<ClientResponse<SubmittedTransaction>> {
  const signedTx = signed({ serializedTx }, wallet)
  return api.submitRegistration({ id, signedTx, signerPubkey: keyOf(wallet), inviteCode })
}
