import { RegistryError } from '../errors.ts'
import type { Transport } from '../http/call.ts'
import { withRetries } from '../http/retry.ts'
import { AGENT_RENT_PAYER_QUERY, MINT_QUERY, STAKE_RENT_PAYER_QUERY } from './documents.ts'

/** A GraphQL response, or one result of a subscription. */
export interface Payload<Data> {
  readonly data?: Data | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string; readonly status?: number; readonly parameter?: string }
  }[]
}

/** Runs a query. Throws RegistryError for the first error. */
export function runQuery<Data>(transport: Transport, query: string, variables: object = {}): Promise<Data> {
  return withRetries(async () => {
    const response = await transport.fetch(`${transport.url}/graphql`, {
      method: 'POST',
      headers: { ...transport.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query, variables }),
      redirect: 'error',
      signal: AbortSignal.timeout(transport.timeoutMs),
    })
    const payload = await bodyOf<Data>(response)
    if (payload.errors !== undefined || !payload.data) throw graphqlError(payload, response)
    return payload.data
  }, transport)
}

/** A proxy before the gateway may respond with text. */
export const bodyOf = <Data>(response: Response): Promise<Payload<Data>> =>
  response.json().catch(() => ({})) as Promise<Payload<Data>>

/** The first error of a GraphQL response in the form of REST. */
export function graphqlError(
  { errors = [] }: Payload<unknown>,
  { status, headers }: Response,
): RegistryError {
  const { message = 'The gateway sent no data', extensions = {} } = errors[0] ?? {}
  const { status: ownStatus = status === 200 ? 502 : status, ...details } = extensions
  return new RegistryError(ownStatus, { error: message, details }, headers)
}

// A gateway that lies about these is harmless: the program accepts only its own mint, and only the
// rent payer that it recorded.

/** The mint of the stakes. */
export async function readMint(transport: Transport): Promise<string> {
  const { registryConfig } = await runQuery<{ registryConfig: { usdcMint: string } | null }>(
    transport,
    MINT_QUERY,
  )
  if (registryConfig === null) throw new Error('The registry is not initialised')
  return registryConfig.usdcMint
}

/** Who paid the rent of an account. Throws RegistryError if it does not exist. */
export async function readRentPayer(
  transport: Transport,
  kind: 'agent' | 'stake',
  pda: string,
): Promise<string> {
  const query = kind === 'agent' ? AGENT_RENT_PAYER_QUERY : STAKE_RENT_PAYER_QUERY
  const { account } = await runQuery<{ account: { rentPayer: string } }>(transport, query, { pda })
  return account.rentPayer
}
