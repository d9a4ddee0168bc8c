import { readFileSync } from 'node:fs'
import { type GraphQLObjectType, isInterfaceType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../schema/index.ts'

/** The roots, and the types with another key. */
const OTHERS = new Set(['Query', 'Mutation', 'Subscription', 'Agent', 'Stake', 'LedgerTransaction'])
/** Types that Graphcache itself stores with the object that contains them. */
const KEYLESS = /^__|PageInfo|(?:Connection|Edge)$/

const source = readFileSync(new URL('../../packages/console/src/api/cache.ts', import.meta.url), 'utf8')

/** The names in a list of the source. */
function listed(list: string): string[] {
  const [, names = ''] = new RegExp(`const ${list} = [^[]*\\[([^\\]]+)\\]`).exec(source) ?? []
  return [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name!)
}

test('the cache of the console knows for every type whether it has an identity', () => {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  const others = types.filter(({ name }) => !KEYLESS.test(name) && !OTHERS.has(name))
  const isKeyed = (type: GraphQLObjectType): boolean => 'id' in type.getFields()
  const namesOf = (all: GraphQLObjectType[]): string[] => all.map(({ name }) => name).toSorted()
  expect(listed('WITHOUT_ID')).toEqual(namesOf(others.filter((type) => !isKeyed(type))))
  const keyed = namesOf(others.filter(isKeyed))
  expect(keyed).toEqual(expect.arrayContaining(listed('EMBEDDED')))
})

test('the cache of the console knows every type of event, so that it reads the fields of its own', () => {
  const event = schema.getType('RegistryEvent')
  const types = isInterfaceType(event) ? schema.getPossibleTypes(event) : []
  expect(listed('EVENTS')).toEqual(types.map(({ name }) => name).toSorted())
})
