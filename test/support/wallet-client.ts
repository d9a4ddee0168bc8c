import type { Clock } from '../../src/platform/clock.ts'
import type { TestApp } from './app.ts'
import type { TestWallet } from './wallet.ts'

export interface Answer<Body> {
  readonly status: number
  readonly body: Body
}

interface GraphQLReply<Data> {
  readonly data: Data
  readonly errors?: { readonly message: string }[]
}

/** Calls an app as a wallet. Each request has its own timestamp. */
export interface WalletClient {
  <Body = Record<string, unknown>>(method: string, url: string, payload?: unknown): Promise<Answer<Body>>
  graphql<Data>(query: string, variables?: Record<string, unknown>): Promise<GraphQLReply<Data>>
}

/** A clock that advances by a second for each signature. */
export function steppingClock(start: number): Clock & { step(): number } {
  let now = start
  return { now: () => now, step: () => (now += 1000) }
}

export function clientOf({ app }: TestApp, wallet: TestWallet, clock: { step(): number }): WalletClient {
  const call = async <Body>(method: string, url: string, payload?: unknown): Promise<Answer<Body>> => {
    const path = url.replace(/\?.*/, '')
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: wallet.headers(method, path, clock.step()),
      ...(payload === undefined ? {} : { payload: payload as object }),
    })
    return { status: response.statusCode, body: response.json<Body>() }
  }
  return Object.assign(call, {
    graphql: async <Data>(query: string, variables: Record<string, unknown> = {}) => {
      const headers = wallet.headers('POST', '/graphql', clock.step())
      const response = await app.inject({
        method: 'POST',
        url: '/graphql',
        headers,
        payload: { query, variables },
      })
      return response.json<GraphQLReply<Data>>()
    },
  })
}
