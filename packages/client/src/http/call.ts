import { RegistryError } from '../errors.ts'
import { type Operations, ROUTES } from '../generated/api.ts'
import type { Signer } from '../signers/signer.ts'
import { parseJson } from './json.ts'
import { type RetryOptions, withRetries } from './retry.ts'
import { encodeBase58, utf8 } from '@agent-registry/solana/wire'

export type OperationId = keyof Operations

type Part<Id extends OperationId, Name extends string> =
  Operations[Id] extends Record<Name, infer Value>
    ? { readonly [Key in Name]: Value }
    : Operations[Id] extends { [Key in Name]?: infer Value }
      ? { readonly [Key in Name]?: Value }
      : unknown

/** The parameters and the body of an operation. */
export type CallInput<Id extends OperationId> = Part<Id, 'path'> & Part<Id, 'query'> & Part<Id, 'body'>
export type CallResult<Id extends OperationId> = Operations[Id]['response']

export interface CallOptions {
  /** Signs the request as this wallet. Without it, the session is used, if there is one. */
  readonly wallet?: Signer
  /** The token of another session. */
  readonly token?: string
  readonly signal?: AbortSignal
  /** Repeated attempts of this call. Those of the registry by default. */
  readonly retries?: number
}

/** Calls any REST operation by its operationId. */
export type Call = <Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options?: CallOptions,
) => Promise<CallResult<Id>>

export interface Transport extends RetryOptions {
  readonly url: string
  readonly fetch: typeof fetch
  /** For one attempt, in milliseconds. */
  readonly timeoutMs: number
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  /** The token of the session. */
  token: string | null
  /** Signs requests that need a wallet, if there is no session. */
  readonly wallet: Signer | null
}

/** POST requests that change nothing, or that the gateway recognizes when they are repeated. */
const REPEATABLE: ReadonlySet<string> = new Set<OperationId>([
  'estimateFees',
  'prepareSponsoredTransaction',
  'prepareTransaction',
  'registerSponsored',
  'submitSponsoredRegistration',
  'submitTransaction',
  'verifyCredential',
])

export function createCall(transport: Transport): Call {
  return async <Id extends OperationId>(id: Id, input: CallInput<Id>, options: CallOptions = {}) => {
    const [method = '', template = ''] = ROUTES[id].split(' ')
    const { path = {}, query = {}, body } = input as { path?: object; query?: object; body?: unknown }
    const route = template.replace(/\{(\w+)\}/g, (_, name: string) =>
      segment(name, (path as Record<string, unknown>)[name]),
    )
    const run = (): Promise<unknown> => send(transport, { method, route, query, body }, options)
    const { retries = transport.retries, signal } = options
    const retrying = { retries, maxRetryDelayMs: transport.maxRetryDelayMs }
    const repeatable = method === 'GET' || REPEATABLE.has(id)
    return (await (repeatable ? withRetries(run, retrying, signal) : run())) as CallResult<Id>
  }
}

/** URLs drop segments that are dots. */
function segment(name: string, value: unknown): string {
  const text = String(value)
  if (['', '.', '..'].includes(text)) throw new TypeError(`${name} must not be ${JSON.stringify(text)}`)
  return encodeURIComponent(text)
}

interface Request {
  readonly method: string
  readonly route: string
  readonly query: object
  readonly body: unknown
}

async function send(
  transport: Transport,
  { method, route, query, body }: Request,
  options: CallOptions,
): Promise<unknown> {
  const { signal } = options
  const url = new URL(transport.url + route)
  for (const [name, value] of Object.entries(query))
    for (const each of [value ?? []].flat()) url.searchParams.append(name, String(each))
  const timeout = AbortSignal.timeout(transport.timeoutMs)
  const response = await transport.fetch(url, {
    method,
    headers: {
      ...transport.headers,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(await authorization(transport, options, method, route)),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A redirect could send the signature of a wallet or a token elsewhere.
    redirect: 'error',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  })
  const text = await response.text()
  if (response.ok) return text === '' ? undefined : parseJson(text)
  throw new RegistryError(response.status, bodyOf(text), response.headers)
}

/** A proxy removes the path of the base URL, so it is not signed. */
async function authorization(
  { token: usualToken, wallet: usual }: Transport,
  { wallet, token = usualToken ?? undefined }: CallOptions,
  method: string,
  path: string,
): Promise<Record<string, string>> {
  if (wallet !== undefined) return walletHeaders(wallet, method, path)
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  return usual === null ? {} : walletHeaders(usual, method, path)
}

/** A proxy before the gateway may respond with text. */
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The three headers that prove that the request comes from the wallet. */
async function walletHeaders(wallet: Signer, method: string, path: string): Promise<Record<string, string>> {
  if (wallet.signMessage === undefined) throw new TypeError('The wallet cannot sign messages')
  const timestamp = Math.floor(Date.now() / 1000)
  const message = `service-auth:${wallet.address}:${timestamp}:${method}:${path}`
  return {
    'x-wallet-pubkey': wallet.address,
    'x-wallet-timestamp': String(timestamp),
    'x-wallet-signature': encodeBase58(await wallet.signMessage(utf8(message))),
  }
}
