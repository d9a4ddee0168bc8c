import { readFileSync } from 'node:fs'
import { isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../schema/index.ts'

const ROOTS = ['Query', 'Mutation', 'Subscription']

test('the cache of the console knows for every type whether it has an identity', () => {
  const source = readFileSync(new URL('../../packages/console/src/api/cache.ts', import.meta.url), 'utf8')
  const list = /EMBEDDED = \[([^\]]+)\]/.exec(source)![1]!
  const embedded = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name)
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  const withoutId = types.filter(
    (type) => !type.name.startsWith('__') && !ROOTS.includes(type.name) && !('id' in type.getFields()),
  )
  const unkeyed = withoutId.map(({ name }) => name).filter((name) => !['Agent', 'Stake'].includes(name))
  expect(unkeyed.filter((name) => !embedded.includes(name))).toEqual([])
  const names = types.map(({ name }) => name)
  expect(embedded.filter((name) => !names.includes(name!))).toEqual([])
})
