import { fromHex, sha256, utf8 } from '@agent-registry/solana/wire'
import type { Context } from './context.ts'
import {
  agentAddress,
  closeAgent,
  deactivateAgent,
  reactivateAgent,
  registerAgent,
  type ServiceCategory,
  suspendAgent,
  updateAgent,
} from './generated/program.ts'
import type { Operations } from './generated/api.ts'
import { RegistryError } from './errors.ts'
import { readRentPayer } from './graphql/query.ts'
import { jittered, wait } from './http/retry.ts'
import { listing } from './pages.ts'
import type { Signer } from './signers/signer.ts'
import { UnexpectedTransactionError } from './transactions/check.ts'
import type { SendOptions } from './transactions/flow.ts'
import type { Transaction } from './transactions/outcome.ts'

export type Agent = Operations['getAgent']['response']
export type AgentFilter = NonNullable<Operations['listAgents']['query']>
export type HistoryFilter = NonNullable<Operations['getAgentHistory']['query']>

/** The agent card: its content, or the SHA-256 of its bytes (32 bytes, or 64 hex digits). */
export type Card = { readonly card: string | Uint8Array } | { readonly cardHash: string | Uint8Array }

export type Registration = {
  /** 1 to 32 bytes of UTF-8. */
  readonly name: string
  readonly category: ServiceCategory
  /** Where the card is published: 1 to 200 bytes, with the scheme https, ipfs, ar or did. */
  readonly cardUrl: string
  /** With an invite code, the gateway pays. */
  readonly inviteCode?: string
} & Card

export type AgentUpdate = {
  readonly name?: string
  readonly category?: ServiceCategory
  /** Bit mask of 6 bits: 0n to 63n. */
  readonly capabilities?: bigint
  /** 0 to 16 bytes. */
  readonly version?: string
} & ({ readonly cardUrl?: undefined } | ({ readonly cardUrl: string } & Card))

export interface Registered {
  /** Address of the agent’s account. */
  readonly pda: string
  readonly transaction: Transaction
}

const POLL_MS = 200

function agentReads({ call }: Context) {
  return {
    /**
     * Agents that match, newest first unless `sort` says otherwise. `limit` is the size of a page.
     */
    list: (filter: AgentFilter = {}) =>
      listing(
        (page) => call('listAgents', { query: { ...filter, ...page } }),
        ({ agents }) => agents,
        filter,
      ),

    /** One agent. With `waitMs`, waits until the gateway has read a new agent from the ledger. */
    get: async (pda: string, { waitMs = 0 }: { readonly waitMs?: number } = {}): Promise<Agent> => {
      const end = Date.now() + waitMs
      for (;;) {
        try {
          return await call('getAgent', { path: { pda } })
        } catch (error) {
          const isMissing = error instanceof RegistryError && error.status === 404
          if (!isMissing || Date.now() > end) throw error
        }
        await wait(jittered(POLL_MS))
      }
    },

    /** The agent of a wallet, or null. */
    ofOwner: async (owner: string): Promise<Agent | null> => {
      const { agents } = await call('listAgents', { query: { owner, include_mismatched: true } })
      return agents[0] ?? null
    },

    /** The history of an agent, newest first. */
    history: (pda: string, filter: HistoryFilter = {}) =>
      listing(
        (page) => call('getAgentHistory', { path: { pda }, query: { ...filter, ...page } }),
        ({ history }) => history,
        filter,
      ),
  }
}

export function createAgents(context: Context) {
  const { program, send } = context

  return {
    ...agentReads(context),

    /**
     * Registers the agent of a wallet. The wallet pays, or the gateway if there is an invite code.
     */
    register: async (
      registration: Registration,
      signer: Signer,
      options: SendOptions = {},
    ): Promise<Registered> => {
      const { name, category, cardUrl, inviteCode } = registration
      const feePayer = inviteCode === undefined ? undefined : await sponsorOf(context, signer)
      const args = {
        name,
        serviceCategory: category,
        agentCardUrl: cardUrl,
        agentCardHash: await hashOf(registration),
      }
      const accounts = { payer: feePayer ?? signer.address, owner: signer.address }
      const instruction = await registerAgent(accounts, args, program)
      const sponsorship =
        inviteCode === undefined || feePayer === undefined ? {} : { sponsorship: { inviteCode, feePayer } }
      const transaction = await send(instruction, signer, { ...options, ...sponsorship })
      return { pda: await agentAddress(signer.address, program), transaction }
    },

    /** Changes the given fields of the wallet’s agent. */
    update: async (update: AgentUpdate, signer: Signer, options?: SendOptions): Promise<Transaction> => {
      const { category: serviceCategory, cardUrl: agentCardUrl, ...rest } = update
      const agentCardHash = agentCardUrl === undefined ? null : await hashOf(update)
      const args = { ...rest, serviceCategory, agentCardUrl, agentCardHash }
      return send(await updateAgent({ owner: signer.address }, args, program), signer, options)
    },

    suspend: async (signer: Signer, options?: SendOptions): Promise<Transaction> => {
      const agent = await agentAddress(signer.address, program)
      return send(await suspendAgent({ authority: signer.address, agent }, program), signer, options)
    },

    reactivate: async (signer: Signer, options?: SendOptions): Promise<Transaction> => {
      const agent = await agentAddress(signer.address, program)
      return send(await reactivateAgent({ authority: signer.address, agent }, program), signer, options)
    },

    /** Final. The agent cannot become active again. */
    deactivate: async (signer: Signer, options?: SendOptions): Promise<Transaction> =>
      send(await deactivateAgent({ owner: signer.address }, program), signer, options),

    /** Closes the account of a deactivated agent. The rent goes to who paid the registration. */
    close: async (signer: Signer, options?: SendOptions): Promise<Transaction> => {
      const agent = await agentAddress(signer.address, program)
      const rentPayer = await readRentPayer(context.transport, 'agent', agent)
      return send(await closeAgent({ owner: signer.address, rentPayer }, program), signer, options)
    },
  }
}

async function sponsorOf({ call }: Context, signer: Signer): Promise<string> {
  const { feePayer } = await call('getDetailedHealth', {})
  const pubkey = feePayer?.pubkey
  if (typeof pubkey !== 'string') throw new Error('This gateway does not sponsor registrations')
  if (pubkey === signer.address)
    throw new UnexpectedTransactionError('The gateway named the wallet as its own fee payer')
  return pubkey
}

async function hashOf(card: object): Promise<Uint8Array> {
  const { card: content, cardHash } = card as { card?: string | Uint8Array; cardHash?: string | Uint8Array }
  if (content !== undefined) return sha256(typeof content === 'string' ? utf8(content) : content)
  if (cardHash instanceof Uint8Array) return cardHash
  if (cardHash === undefined || !/^[0-9a-f]{64}$/i.test(cardHash))
    throw new TypeError('cardHash must be 32 bytes or 64 hex digits')
  return fromHex(cardHash)
}
