import { readFileSync } from 'node:fs'
import { isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../schema/index.ts'

/** The roots, and the types with another key. */
const OTHERS = new Set(['Query', 'Mutation', 'Subscription', 'Agent', 'Stake', 'LedgerTransaction'])

test('the cache of the console knows for every type whether it has an identity', () => {
  const source = readFileSync(new URL('../../packages/console/src/api/cache.ts', import.meta.url), 'utf8')
  const list = /EMBEDDED = \[([^\]]+)\]/.exec(source)![1]!
  const embedded = new Set([...list.matchAll(/'(\w+)'/g)].map(([, name]) => name!))
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  const withoutId = types.filter(({ name }) => !name.startsWith('__') && !OTHERS.has(name))
  const unkeyed = withoutId.filter((type) => !('id' in type.getFields())).map(({ name }) => name)
  expect(unkeyed.filter((name) => !embedded.has(name))).toEqual([])
  const names = new Set(types.map(({ name }) => name))
  expect([...embedded].filter((name) => !names.has(name))).toEqual([])
})
