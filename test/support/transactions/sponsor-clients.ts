import type { TransactionInstruction } from '@solana/web3.js'
import { expect } from 'vitest'
import type { TestApp } from '../app.ts'
import type { GraphQLAnswer } from '../graphql.ts'
import { type Prepared as RelayedTransaction, type RecordBody, toJson } from './relay-world.ts'

export type JsonInstruction = ReturnType<typeof toJson>

export type Prepared = RelayedTransaction & { sponsored: boolean }
export type SubmittedTransaction = RecordBody & { sponsored: boolean }

export interface ClientResponse<Body> {
  readonly status: number
  readonly error: string
  readonly body: Body
}

export interface Registration {
  instructions?: JsonInstruction[] | undefined
  signerPubkey?: string | undefined
  inviteCode?: string | undefined
}
interface PrepareRequest {
  instructions?: JsonInstruction[] | undefined
  signerPubkeys?: string[] | undefined
  priorityLevel?: string | undefined
}
interface SignedRegistration {
  id: string
  signedTx: string
  signerPubkey: string
  inviteCode: string
}

/** The sponsorship operations over one protocol, from one client address. */
export interface SponsorClient {
  readonly name: 'REST' | 'GraphQL'
  register(body: Registration): Promise<ClientResponse<Prepared>>
  submitRegistration(body: SignedRegistration): Promise<ClientResponse<SubmittedTransaction>>
  prepareSponsored(body: PrepareRequest): Promise<ClientResponse<Prepared>>
  /** POST /relay/prepare with `sponsored: true`. */
  prepareFlagged(body: PrepareRequest): Promise<ClientResponse<Prepared>>
  submit(body: { id: string; signedTx: string }): Promise<ClientResponse<SubmittedTransaction>>
  status(id: string): Promise<ClientResponse<SubmittedTransaction>>
}

/** The client address and request headers. */
interface ClientOptions {
  readonly address?: string
  readonly headers?: Record<string, string>
}

export const json = (instructions: readonly TransactionInstruction[]): JsonInstruction[] =>
  instructions.map(toJson)

type Inject = Pick<TestApp, 'app'>

export function restClient(
  { app }: Inject,
  { address = '198.51.100.1', headers = {} }: ClientOptions = {},
): SponsorClient {
  const call = async <Body>(
    method: 'GET' | 'POST',
    url: string,
    payload?: object,
  ): Promise<ClientResponse<Body>> => {
    const response = await app.inject({ method, url, payload, headers, remoteAddress: address })
    const body: Body & { error?: unknown } = response.json()
    const text = typeof body.error === 'string' ? body.error : ''
    return { status: response.statusCode, error: response.statusCode < 300 ? '' : text, body }
  }
  return {
    name: 'REST',
    register: (body) => call('POST', '/sponsor/register', body),
    submitRegistration: (body) => call('POST', '/sponsor/register/submit', body),
    prepareSponsored: (body) => call('POST', '/relay/prepare/sponsored', body),
    prepareFlagged: (body) => call('POST', '/relay/prepare', { ...body, sponsored: true }),
    submit: (body) => call('POST', '/relay/submit', body),
    status: (id) => call('GET', `/relay/status/${id}`),
  }
}

const PREPARED =
  'id serializedTx blockhash lastValidBlockHeight estimatedComputeUnits priorityFee feePayer sponsored'
const LANDING = 'id status signature error { code message logs } slot sponsored'
/** A mutation with one input, whose type has its name. */
const mutation = (name: string, fields: string): string =>
  `mutation ($input: ${name[0]!.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${fields} } }`

/** The name at /graphql of a text of REST. */
const withNames = ({ priorityLevel, ...input }: PrepareRequest) => ({
  ...input,
  priorityLevel: priorityLevel?.toUpperCase(),
})
/** The text of REST for a name at /graphql. */
function textOf(name: string): string {
  expect(name).toMatch(/^[A-Z_]+$/)
  return name.toLowerCase()
}
const withTexts = (body: SubmittedTransaction | null | undefined) =>
  body && {
    ...body,
    status: textOf(body.status),
    error: body.error && { ...body.error, code: textOf(body.error.code) },
  }

export function graphqlClient(
  { app }: Inject,
  { address = '198.51.100.1', headers = {} }: ClientOptions = {},
): SponsorClient {
  const call = async <Body>(query: string, variables: object): Promise<ClientResponse<Body>> => {
    const request = { url: '/graphql', payload: { query, variables }, headers, remoteAddress: address }
    const response = await app.inject({ method: 'POST', ...request })
    const answer = response.json<GraphQLAnswer>()
    const [failed] = answer.errors ?? []
    const [body] = Object.values((answer.data ?? {}) as Record<string, unknown>)
    return {
      status: failed === undefined ? 200 : failed.extensions.status,
      error: failed?.message ?? '',
      body: body as Body,
    }
  }
  const landing = async (query: string, variables: object): Promise<ClientResponse<SubmittedTransaction>> => {
    const response = await call<SubmittedTransaction | null | undefined>(query, variables)
    return { ...response, body: withTexts(response.body) as SubmittedTransaction }
  }
  return {
    name: 'GraphQL',
    register: (input) => call(mutation('registerSponsored', PREPARED), { input }),
    submitRegistration: (input) => landing(mutation('submitSponsoredRegistration', LANDING), { input }),
    prepareSponsored: (input) =>
      call(mutation('prepareSponsoredTransaction', PREPARED), { input: withNames(input) }),
    prepareFlagged: (input) =>
      call(mutation('prepareTransaction', PREPARED), { input: { ...withNames(input), sponsored: true } }),
    submit: (variables) =>
      landing(
        `mutation ($id: String!, $signedTx: String!) { submitTransaction(id: $id, signedTx: $signedTx) { ${LANDING} } }`,
        variables,
      ),
    status: (id) => landing(`query ($id: String!) { transaction(id: $id) { ${LANDING} } }`, { id }),
  }
}

export const CLIENTS = [restClient, graphqlClient] as const
