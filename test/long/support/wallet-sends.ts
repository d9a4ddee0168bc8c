import {
  type Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js'
import bs58 from 'bs58'
import { vi } from 'vitest'
import { pino } from 'pino'
import { registryInstruction } from '@agent-registry/program'
import { parseTransaction } from '@agent-registry/solana'
import { systemClock } from '../../../src/platform/clock.ts'
import { fetchTransaction } from '../../../src/transactions/ledger-state.ts'
import { SEARCH_LIMITS } from '../../../src/transactions/limits.ts'
import { matchesPrepared, preparedMessage } from '../../../src/transactions/match.ts'
import { createTransactions } from '../../../src/transactions/transactions.ts'
import type { Orm } from '../../../src/db/orm-types.ts'
import { addresses, keyOf, programId, type RegistryWorld } from '../../support/ledger/registry-world.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { FAST_TIMING, signed, toJson } from '../../support/transactions/relay-world.ts'
import type { Random } from './random.ts'
import { scaled } from '../../support/machine-speed.ts'

interface Status {
  slot: number
  err: unknown
}

interface Outcome {
  id: string
  status: string
  slot: number | null
  error: string | undefined
}

/** Transactions that the relay prepares, and that wallets send themselves or not at all. */
export class WalletSends {
  readonly #signatures = new Map<string, string>()
  readonly #world: RegistryWorld
  readonly #orm: Orm
  readonly #relay: ReturnType<typeof createTransactions>

  constructor(world: RegistryWorld, orm: Orm) {
    this.#world = world
    this.#orm = orm
    this.#relay = createTransactions({
      em: orm.em,
      rpc: world.rpc,
      clock: systemClock,
      registryProgram: programId,
      allowedPrograms: null,
      submitWaitMs: 0,
      sponsor: null,
      logger: pino({ level: 'silent' }),
      timing: FAST_TIMING,
    })
    this.#relay.tracker.start()
  }

  /** A prepare that fails because of a fault or the state of the agent is not repeated. */
  async send(wallet: Keypair, random: Random): Promise<void> {
    try {
      const prepared = await this.#relay.prepare({
        instructions: [toJson(await this.#instruction(wallet, random))],
        signerPubkeys: [keyOf(wallet)],
      })
      const bytes = Buffer.from(signed(prepared, wallet), 'base64')
      const [signature] = VersionedTransaction.deserialize(bytes).signatures
      this.#signatures.set(prepared.id, bs58.encode(signature ?? new Uint8Array(64)))
      if (random.chance(0.7)) await this.#world.connection.sendRawTransaction(bytes, { skipPreflight: true })
    } catch {
      // The service or the node is down.
    }
  }

  /** An update of the wallet's agent, or a transfer to itself, which succeeds without an agent. */
  async #instruction(wallet: Keypair, random: Random): Promise<TransactionInstruction> {
    const owner = keyOf(wallet)
    const agent = addresses.agent(owner)
    const isRegistered = (await this.#world.connection.getAccountInfo(new PublicKey(agent))) !== null
    if (isRegistered && random.chance(0.7)) {
      const version = `${random.integer(0, 9)}`
      return registryInstruction(programId, 'update_agent', { owner, agent }, { version })
    }
    const [fromPubkey, lamports] = [wallet.publicKey, random.integer(1, 1_000_000)]
    return SystemProgram.transfer({ fromPubkey, toPubkey: fromPubkey, lamports })
  }

  /** The settled records, and what they are on the ledger. All transactions must have expired. */
  async compare({
    wasHidden,
    wasForked,
  }: {
    wasHidden: boolean
    wasForked: boolean
  }): Promise<{ relay: Outcome[]; ledger: Outcome[] }> {
    const open = kyselyOf(this.#orm)
      .selectFrom('prepared_transactions')
      .select('id')
      .where('settled', '=', false)
    await vi.waitFor(
      async () => {
        if ((await open.execute()).length > 0) throw new Error('the relay has not settled all transactions')
      },
      { timeout: scaled(60_000), interval: 50 },
    )
    if (wasHidden) this.#signatures.clear()
    const [relay, ledger]: [Outcome[], Outcome[]] = [[], []]
    for (const [id, signature] of this.#signatures) {
      const { status, slot, error } = await this.#relay.get(id)
      const isCorrect =
        // The ledger does not tell whether a fork removed the transaction.
        (wasForked && error?.code === 'dropped') ||
        (error?.code === 'outcome_unknown' && (await this.#canBeUnknown(id)))
      relay.push({ id, status, slot, error: isCorrect ? 'blockhash_expired' : error?.code })
      ledger.push({ id, ...(await this.#onLedger(signature)) })
    }
    this.#signatures.clear()
    return { relay, ledger }
  }

  async #onLedger(signature: string): Promise<Omit<Outcome, 'id'>> {
    const { value } = await this.#world.rpc.call<{ value: (Status | null)[] }>('getSignatureStatuses', [
      [signature],
      { searchTransactionHistory: true },
    ])
    const landed = value[0] ?? null
    if (landed === null) return { status: 'failed', slot: null, error: 'blockhash_expired' }
    const { slot, err } = landed
    if (err === null) return { status: 'confirmed', slot, error: undefined }
    return { status: 'failed', slot, error: 'execution_failed' }
  }

  /**
   * Whether the search for the transaction reached its limits: its fee payer has too many others,
   * or one of them may be a version of it.
   */
  async #canBeUnknown(id: string): Promise<boolean> {
    const { message, blockhash_slot: oldestSlot } = await kyselyOf(this.#orm)
      .selectFrom('prepared_transactions')
      .select(['message', 'blockhash_slot'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const prepared = preparedMessage({ message })
    const listed = await this.#world.rpc.call<{ signature: string; slot: number }[]>(
      'getSignaturesForAddress',
      [prepared.staticKeys[0], { commitment: 'finalized' }],
    )
    const others = listed.filter(({ slot }) => slot >= oldestSlot)
    if (others.length > SEARCH_LIMITS.fetches) return true
    const found = await Promise.all(
      others.map(({ signature }) =>
        fetchTransaction<{ transaction: [string, string] }>(this.#world.rpc, signature),
      ),
    )
    return found.some((each) => {
      const bytes = Buffer.from(each!.transaction[0], 'base64')
      return matchesPrepared(prepared, parseTransaction(bytes).message)
    })
  }

  close(): Promise<void> {
    return this.#relay.tracker.stop()
  }
}
