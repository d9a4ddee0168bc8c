import { createAgents } from './agents.ts'
import type { Context } from './context.ts'
import { PROGRAM } from './generated/program.ts'
import { createCredentials } from './credentials.ts'
import { type Call, createCall, type Transport } from './http/call.ts'
import { type EventsOptions, liveEvents } from './live/events.ts'
import { readMint } from './graphql/query.ts'
import type { Instruction } from './program/instruction.ts'
import type { Signer } from './signers/signer.ts'
import { createSessions } from './sessions.ts'
import { createStakes } from './stakes.ts'
import { UnexpectedTransactionError } from './transactions/check.ts'
import { type SendOptions, sendInstructions } from './transactions/flow.ts'
import {
  resume,
  type ResumeOptions,
  type Transaction,
  type UnfinishedTransaction,
} from './transactions/outcome.ts'
import { createWebhooks } from './webhooks/webhooks.ts'

export interface RegistryOptions {
  /**
   * The registry program that wallets sign for. Give the address that you trust: the client refuses
   * a gateway with another program. By default that of the localnet and of the project’s releases.
   */
  readonly program?: string
  /** Signs requests that need a wallet. A session replaces it. */
  readonly wallet?: Signer
  /** The most that a wallet pays as priority fee for a transaction. 100,000 lamports by default. */
  readonly maxPriorityFeeLamports?: bigint
  /** Repeated attempts of requests that can be repeated safely. 2 by default. */
  readonly retries?: number
  /** Waits for a Retry-After up to this time. 30,000 ms by default. */
  readonly maxRetryDelayMs?: number
  /** For one request. 30,000 ms by default. */
  readonly timeoutMs?: number
  /** How long to wait for the outcome of a transaction. 120,000 ms by default. */
  readonly confirmTimeoutMs?: number
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch
}

export type Registry = ReturnType<typeof createRegistry>

/** A client of the gateway at this URL. It opens no connection before the first call. */
export function createRegistry(url: string, options: RegistryOptions = {}) {
  const { program = PROGRAM } = options
  const transport: Transport = {
    url: gatewayUrl(url),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    headers: options.headers ?? {},
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: options.retries ?? 2,
    maxRetryDelayMs: options.maxRetryDelayMs ?? 30_000,
    wallet: options.wallet ?? null,
    token: null,
  }
  const call = createCall(transport)
  const flow = {
    maxPriorityFeeLamports: options.maxPriorityFeeLamports ?? 100_000n,
    confirmTimeoutMs: options.confirmTimeoutMs ?? 120_000,
    maxRetryDelayMs: transport.maxRetryDelayMs,
  }
  const checkProgram = programCheck(call, program)
  let mint: string | undefined
  const context: Context = {
    call,
    transport,
    program,
    send: async (instruction, signer, sendOptions = {}) => {
      await checkProgram()
      return sendInstructions(call, flow, { instructions: [instruction], signer, ...sendOptions })
    },
    mint: async () => (mint ??= await readMint(transport)),
  }
  return {
    /** Reads and changes agents. */
    agents: createAgents(context),
    /** Reads and changes stakes. */
    stakes: createStakes(context),
    /** Reads and verifies credentials. */
    credentials: createCredentials(context),
    webhooks: createWebhooks(context),
    /** Signing in with a wallet. */
    sessions: createSessions(context),
    transactions: {
      get: (id: string): Promise<Transaction> => call('getTransaction', { path: { id } }),
      /**
       * Finds the outcome of a transaction that was signed before, also by another process. With
       * what `onSigned` or OutcomeUnknownError gave, it submits the same transaction again if the
       * gateway does not have it. With only the id, it waits. Returns the confirmed transaction.
       * Throws TransactionFailedError or OutcomeUnknownError.
       */
      resume: async (
        unfinished: UnfinishedTransaction | string,
        resumeOptions: ResumeOptions = {},
      ): Promise<Transaction> => resume(call, flow, unfinished, resumeOptions),
      /** Prepares, checks, signs and submits instructions of any program that the relay allows. */
      send: (
        instructions: readonly Instruction[],
        signer: Signer,
        sendOptions: SendOptions = {},
      ): Promise<Transaction> => sendInstructions(call, flow, { instructions, signer, ...sendOptions }),
    },
    /** Live events without end. */
    events: (eventsOptions?: EventsOptions) => liveEvents(transport, eventsOptions),
    /** Calls any REST operation, such as `call('resolveDid', { path: { did } })`. */
    call,
  }
}

/** Throws UnexpectedTransactionError if the gateway serves another program. It asks once. */
function programCheck(call: Call, program: string): () => Promise<void> {
  let isChecked = false
  return async () => {
    if (isChecked) return
    const info = await call('getInfo', {})
    if (info.program !== program)
      throw new UnexpectedTransactionError(
        `The gateway serves the program ${info.program}, not ${program}. If you trust it, pass it to createRegistry as program`,
      )
    isChecked = true
  }
}

/** The URL without a slash at its end. Throws if it is not a URL with scheme http or https. */
function gatewayUrl(url: string): string {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new TypeError(`The URL of the gateway must start with http:// or https://, got ${url}`)
  return new URL(url).href.replace(/\/+$/, '')
}
