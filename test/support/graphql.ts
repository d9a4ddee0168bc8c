import { expect } from 'vitest'
import type { TestApp } from './app.ts'

export interface GraphQLAnswer {
  data?: unknown
  errors?: { message: string; path?: unknown[]; extensions: { code: string; status: number } }[]
}

export async function post(
  { app }: Pick<TestApp, 'app'>,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<GraphQLAnswer> {
  const response = await app.inject({ method: 'POST', url: '/graphql', payload: { query, variables } })
  return response.json()
}

/** The data of an operation that must succeed. */
export async function query<Data>(
  t: Pick<TestApp, 'app'>,
  text: string,
  variables: Record<string, unknown> = {},
): Promise<Data> {
  const { data, errors } = await post(t, text, variables)
  expect(errors).toBeUndefined()
  return data as Data
}
