import { createHash } from 'node:crypto'
import {
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { associatedTokenAccount, type Pubkey } from '@agent-registry/solana'
import { registryInstruction } from '@agent-registry/program'
import { addresses, keyOf, programId, type RegistryWorld } from '../../support/ledger/registry-world.ts'
import type { Random } from './random.ts'

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const CATEGORIES = ['commerce', 'dataAnalysis', 'financial', 'research', 'other']

type Accounts = Record<string, Pubkey>
type Build = (name: string, accounts?: Accounts, args?: Record<string, unknown>) => TransactionInstruction

interface Step {
  instructions: TransactionInstruction[]
  signers: Keypair[]
}

/**
 * Sends random transactions with every instruction of the registry. Wallets are in random states,
 * so many transactions fail, as on a real ledger. Does not wait for them.
 */
export class RandomOperations {
  readonly sent: string[] = []
  readonly #world: RegistryWorld
  readonly #random: Random
  readonly #wallets: readonly Keypair[]
  readonly #spareReporter = Keypair.generate()

  constructor(world: RegistryWorld, random: Random, wallets: readonly Keypair[]) {
    this.#world = world
    this.#random = random
    this.#wallets = wallets
  }

  async send(): Promise<void> {
    const { connection } = this.#world
    const random = this.#random
    const wallet = random.pick(this.#wallets)
    const agent = new PublicKey(addresses.agent(keyOf(wallet)))
    const isRegistered = (await connection.getAccountInfo(agent, 'processed')) !== null
    const steps = Array.from({ length: random.chance(0.3) ? random.integer(2, 4) : 1 }, () =>
      this.#step(wallet, isRegistered),
    )
    const signers = [...new Set([wallet, ...steps.flatMap((step) => step.signers)])]
    const { blockhash } = await connection.getLatestBlockhash('processed')
    const message = new TransactionMessage({
      payerKey: wallet.publicKey,
      recentBlockhash: blockhash,
      instructions: [...this.#fillers(steps.length), ...steps.flatMap((step) => step.instructions)],
    })
    const transaction = new VersionedTransaction(message.compileToV0Message())
    transaction.sign(signers)
    this.sent.push(await connection.sendTransaction(transaction, { skipPreflight: true }))
  }

  /** Sometimes memos that fill the log of the transaction before the registry's instructions. */
  #fillers(steps: number): TransactionInstruction[] {
    if (steps > 1 || !this.#random.chance(0.2)) return []
    const memo = new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('a') })
    return Array.from({ length: 50 }, () => memo)
  }

  #step(wallet: Keypair, isRegistered: boolean): Step {
    const random = this.#random
    const owner = keyOf(wallet)
    const agent = addresses.agent(owner)
    const stake = addresses.stake(agent)
    const { usdcMint, admin, reporter } = this.#world
    const ownerToken = associatedTokenAccount(owner, usdcMint)
    const roles = { payer: owner, owner, rentPayer: owner, authority: owner }
    const own: Accounts = { ...roles, agent, stake, usdcMint, ownerToken }
    const build: Build = (name, accounts = {}, args = {}) =>
      registryInstruction(programId, name, { ...own, ...accounts }, args)
    const byOwner = (name: string, args?: Record<string, unknown>): Step => ({
      instructions: [build(name, {}, args)],
      signers: [wallet],
    })
    const byAdmin = (name: string, accounts: Accounts = {}, args: Record<string, unknown> = {}): Step => ({
      instructions: [build(name, { admin: keyOf(admin), ...accounts }, args)],
      signers: [admin],
    })
    const usdc = (): bigint => BigInt(random.integer(1, 600)) * 1_000_000n
    const text = `${random.pick(['Ada', 'Ben', 'Zoë', '名'])} ${random.integer(1, 999)}`
    const url = `https://agents.example.org/${random.integer(1, 999)}.json`
    const card = { agentCardUrl: url, agentCardHash: createHash('sha256').update(url).digest() }
    const [spare, known] = [
      { authority: keyOf(this.#spareReporter) },
      { reporter: addresses.reporter(keyOf(reporter)) },
    ]
    const reported = (): Step => {
      const args = { delta: random.integer(-50, 50), reason: random.integer(0, 5) }
      return {
        instructions: [build('report_behavior', { authority: keyOf(reporter) }, args)],
        signers: [reporter],
      }
    }
    const kinds: [number, () => Step][] = [
      [
        isRegistered ? 1 : 60,
        () => byOwner('register_agent', { name: text, serviceCategory: random.pick(CATEGORIES), ...card }),
      ],
      [4, () => byOwner('update_agent', { name: text, version: `${random.integer(0, 9)}` })],
      [2, () => byOwner('update_agent', { capabilities: BigInt(random.integer(0, 63)), ...card })],
      [2, () => byOwner('suspend_agent')],
      [1, () => byAdmin('suspend_agent', { authority: keyOf(admin) })],
      [3, () => byOwner('reactivate_agent')],
      [1, () => byAdmin('reactivate_agent', { authority: keyOf(admin) })],
      [2, () => byOwner('deactivate_agent')],
      [3, () => byOwner('close_agent')],
      [3, () => byOwner('close_deactivation_record')],
      [5, () => byOwner('deposit', { amount: usdc() })],
      [3, () => byOwner('request_withdrawal', { amount: usdc() })],
      [2, () => byOwner('cancel_withdrawal')],
      [3, () => byOwner('complete_withdrawal')],
      [3, () => byOwner('close_stake')],
      [6, reported],
      [1, () => byAdmin('update_config', {}, { cooldownSeconds: BigInt(random.integer(1, 90) * 86_400) })],
      [1, () => byAdmin('register_reporter', spare, { label: text, weight: random.integer(5, 10) })],
      [1, () => byAdmin('set_reporter_active', known, { active: random.chance(0.8) })],
    ]
    let at = random.next() * kinds.reduce((sum, [weight]) => sum + weight, 0)
    const kind = kinds.find(([weight]) => (at -= weight) < 0)
    return (kind?.[1] ?? (() => byOwner('update_agent', { name: text })))()
  }
}
