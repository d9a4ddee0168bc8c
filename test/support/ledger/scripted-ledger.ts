import { randomBytes } from 'node:crypto'
import bs58 from 'bs58'
import { pubkey } from '@agent-registry/solana'
import {
  encodeAccount,
  encodeEvent,
  EVENT_TAG,
  type RegistryAccount,
  registryAddresses,
  type RegistryEvent,
  registryIdl,
} from '@agent-registry/program'
import type { LedgerRpc, RpcCall } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'

export const PROGRAM_ID = registryIdl.address
const SYSTEM = '11111111111111111111111111111111'
const FINALITY_DEPTH = 32

interface Entry {
  signature: string
  version: 'legacy' | 0 | 1 | 2
  slot: number
  err: unknown
  /** Null if the node does not record inner instructions. */
  inner: Uint8Array[] | null
  writes: string[]
}

interface VersionConfig {
  maxSupportedTransactionVersion?: number
}

interface Snapshot {
  slot: number
  accounts: Map<string, string>
}

export interface ScriptedTransaction {
  events?: RegistryEvent[]
  /** Accounts after it; null closes one. */
  accounts?: Record<string, RegistryAccount | Buffer | null>
  err?: unknown
  signature?: string
  /** Replaces the data of the event instructions. */
  inner?: Uint8Array[] | null
}

/** A scripted ledger for fault injection. */
export class ScriptedLedger {
  slot = 1
  #finalizedSlot = 0
  genesisHash = bs58.encode(randomBytes(32))
  /** The maximum page size of getSignaturesForAddress. */
  pageCap = 1000
  /** The version of the next transactions. Clients must declare that they support it. */
  version: 'legacy' | 0 | 1 | 2 = 'legacy'
  /** Signatures that are missing in listings. */
  readonly hidden = new Set<string>()
  /** Signatures that getTransaction does not serve. */
  readonly missing = new Set<string>()
  /** Signatures whose outcome the node has lost. */
  readonly withoutOutcome = new Set<string>()
  /** The error code of every getBlock, or of every list of accounts. */
  refusals: { getBlock?: number; getProgramAccounts?: number } = {}
  /** Errors of the next calls, one each. */
  readonly failures: LedgerRpcError[] = []
  calls = 0
  entries: Entry[] = []
  accounts = new Map<string, string>()
  #snapshots: Snapshot[] = []

  /** Never goes back, also after a fork. */
  get finalizedSlot(): number {
    this.#finalizedSlot = Math.max(this.#finalizedSlot, this.slot - FINALITY_DEPTH)
    return this.#finalizedSlot
  }

  /** Runs a transaction in the current slot. Returns its signature. */
  send({ events = [], accounts = {}, err = null, signature, inner }: ScriptedTransaction): string {
    const entry: Entry = {
      signature: signature ?? bs58.encode(randomBytes(64)),
      version: this.version,
      slot: this.slot,
      err,
      inner: inner === undefined ? events.map(eventInstruction) : inner,
      writes: Object.keys(accounts),
    }
    this.entries.push(entry)
    if (err !== null) return entry.signature
    for (const [pda, account] of Object.entries(accounts)) {
      if (account === null) this.accounts.delete(pda)
      else this.accounts.set(pda, ('data' in account ? encodeAccount(account) : account).toString('base64'))
    }
    return entry.signature
  }

  advance(slots = 1): void {
    this.#snapshots.push({ slot: this.slot, accounts: new Map(this.accounts) })
    this.slot += slots
  }

  /** Removes everything after the end of a slot. */
  forkFrom(slot: number): void {
    this.#finalizedSlot = this.finalizedSlot
    const snapshot = this.#snapshots.findLast((each) => each.slot <= slot)
    this.entries = this.entries.filter((entry) => entry.slot <= slot)
    this.#snapshots = this.#snapshots.filter((each) => each.slot <= slot)
    this.accounts = new Map(snapshot?.accounts)
    this.slot = slot + 1
  }

  rpc(): LedgerRpc {
    const answer = (method: string, params: unknown[]): unknown => {
      const refusal = this.refusals[method as keyof typeof this.refusals]
      if (refusal !== undefined) throw new LedgerRpcError('rpc', 'refused', { code: refusal })
      const handler = this.#methods[method]
      if (handler === undefined) throw new LedgerRpcError('rpc', `no method ${method}`, { code: -32601 })
      return handler(...(params as never[]))
    }
    const exchange = async <T>(work: () => T): Promise<T> => {
      await Promise.resolve()
      this.calls += 1
      const failure = this.failures.shift()
      if (failure !== undefined) throw failure
      return work()
    }
    const settle = <T>(calls: RpcCall[]) =>
      exchange(() =>
        calls.map(({ method, params }) => {
          try {
            return answer(method, params) as T
          } catch (error) {
            return error as LedgerRpcError
          }
        }),
      )
    return {
      call: <T>(method: string, params: unknown[] = []) => exchange(() => answer(method, params) as T),
      batch: <T>(calls: RpcCall[]) =>
        exchange(() => calls.map(({ method, params }) => answer(method, params) as T)),
      settle,
    }
  }

  /** Slots without transactions have no block, except the newest. */
  #isSkipped(slot: number): boolean {
    return slot < this.slot && !this.entries.some((entry) => entry.slot === slot)
  }

  #blockBefore(slot: number): number {
    return Math.max(0, ...this.entries.map((entry) => entry.slot).filter((each) => each < slot))
  }

  #checkVersion(
    entries: readonly Entry[],
    { maxSupportedTransactionVersion: max = -1 }: VersionConfig,
  ): void {
    for (const { version } of entries)
      if (version !== 'legacy' && version > max)
        throw new LedgerRpcError('rpc', `Transaction version (${version}) is not supported`, { code: -32015 })
  }

  #tip(commitment: string | undefined): number {
    return commitment === 'finalized' ? this.finalizedSlot : this.slot
  }

  readonly #methods: Record<string, (...params: never[]) => unknown> = {
    getGenesisHash: () => this.genesisHash,
    getRecentPerformanceSamples: () => [{ numSlots: 200, samplePeriodSecs: 60 }],
    getSlot: (config: { commitment: string }) => this.#tip(config.commitment),
    getSignaturesForAddress: (
      _: string,
      config: { commitment: string; before?: string; until?: string; limit: number },
    ) => {
      const newestFirst = this.entries
        .filter((entry) => entry.slot <= this.#tip(config.commitment))
        .toReversed()
        .filter((entry) => !this.hidden.has(entry.signature))
      const start = newestFirst.findIndex((entry) => entry.signature === config.before) + 1
      const until = newestFirst.findIndex((entry) => entry.signature === config.until)
      return newestFirst
        .slice(start, until < 0 ? undefined : until)
        .slice(0, Math.min(config.limit, this.pageCap))
        .map(({ signature, slot, err }) => ({
          signature,
          slot,
          err,
          confirmationStatus: slot <= this.finalizedSlot ? 'finalized' : 'confirmed',
        }))
    },
    getSignatureStatuses: (signatures: string[]) => ({
      value: signatures.map(
        (signature) => this.entries.find((entry) => entry.signature === signature) ?? null,
      ),
    }),
    getTransaction: (signature: string, config: VersionConfig) => {
      const entry = this.entries.find((each) => each.signature === signature)
      if (entry === undefined || this.missing.has(signature)) return null
      this.#checkVersion([entry], config)
      const json = transactionJson(entry)
      return {
        ...json,
        version: entry.version,
        ...(this.withoutOutcome.has(signature) ? { meta: null } : {}),
      }
    },
    getBlock: (slot: number, config: VersionConfig) => {
      const entries = this.entries.filter((entry) => entry.slot === slot)
      this.#checkVersion(entries, config)
      const signatures = entries.map((entry) => entry.signature)
      const isNext = slot > 0 && this.#isSkipped(slot - 1)
      if (this.#isSkipped(slot)) throw new LedgerRpcError('rpc', 'skipped', { code: -32007 })
      return { signatures, parentSlot: isNext ? this.#blockBefore(slot) : slot - 1 }
    },
    getBlocksWithLimit: (slot: number) => {
      for (let next = slot; next <= this.slot; next += 1) if (!this.#isSkipped(next)) return [next]
      return []
    },
    getMultipleAccounts: (pdas: string[], config: { minContextSlot?: number }) => {
      if ((config.minContextSlot ?? 0) > this.slot)
        throw new LedgerRpcError('rpc', 'Minimum context slot has not been reached', { code: -32016 })
      return {
        context: { slot: this.slot },
        value: pdas.map((pda) => {
          const data = this.accounts.get(pda)
          return data === undefined ? null : { owner: PROGRAM_ID, data: [data, 'base64'] }
        }),
      }
    },
    getProgramAccounts: () => ({
      context: { slot: this.slot },
      value: [...this.accounts].map(([pubkey, data]) => ({
        pubkey,
        account: { owner: PROGRAM_ID, data: [data, 'base64'] },
      })),
    }),
  }
}

const EVENT_AUTHORITY = registryAddresses(pubkey(PROGRAM_ID)).eventAuthority()

/** The data of the instruction by which the program sends an event to itself. */
export const eventInstruction = (event: RegistryEvent): Uint8Array =>
  Buffer.concat([EVENT_TAG, encodeEvent(event), Buffer.of(255)])

/** An instruction that is not in the IDL: the indexer then reads all its accounts. */
function transactionJson({ signature, slot, err, inner, writes }: Entry): object {
  const toInner = (data: Uint8Array) => ({
    programIdIndex: writes.length + 1,
    accounts: [writes.length + 2],
    data: bs58.encode(data),
  })
  return {
    slot,
    transaction: {
      signatures: [signature],
      message: {
        accountKeys: [SYSTEM, ...writes, PROGRAM_ID, EVENT_AUTHORITY],
        header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
        instructions: [
          {
            programIdIndex: writes.length + 1,
            accounts: writes.map((_, i) => i + 1),
            data: bs58.encode([0]),
          },
        ],
      },
    },
    meta: { err, innerInstructions: inner && [{ index: 0, instructions: inner.map(toInner) }] },
  }
}
