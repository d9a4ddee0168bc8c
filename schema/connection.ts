import type { OutputRef } from '@pothos/core'
import type { Connection, Edge } from '../src/domain/connection.ts'
import { PAGE_LIMIT } from '../src/domain/page.ts'
import { builder } from './builder.ts'

const PageInfoRef = builder.objectRef<Connection<unknown>>('PageInfo').implement({
  description: 'The position of a page in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether more entries follow.' }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description: 'Cursor of the last edge. Pass it as `after` to get the next page. Null without edges.',
    }),
  }),
})

/** The connection of a type (GraphQL Cursor Connections Specification, forward only). */
export function connectionType<Row>(name: string, node: OutputRef<Row>) {
  const EdgeRef = builder.objectRef<Edge<Row>>(`${name}Edge`).implement({
    description: `An entry of \`${name}Connection\`.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description:
          'Position of the entry in this list and order. Valid until the sort key of the entry changes.',
      }),
      node: t.field({ type: node, description: 'The entry.', resolve: (edge) => edge.node as never }),
    }),
  })
  return builder.objectRef<Connection<Row>>(`${name}Connection`).implement({
    description:
      'A page of a list with cursor pagination. Entries that are added or removed before the cursor do not move the page.',
    fields: (t) => ({
      edges: t.field({
        type: [EdgeRef],
        description: 'The entries of this page, in order.',
        resolve: ({ edges }) => [...edges],
      }),
      pageInfo: t.field({
        type: PageInfoRef,
        description: 'The position of this page.',
        resolve: (connection) => connection,
      }),
    }),
  })
}

/** `first` and `after`. The services check the values. */
export const connectionArgs = () =>
  builder.args((t) => ({
    first: t.int({
      defaultValue: PAGE_LIMIT.default,
      description: `Maximum number of entries: ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}.`,
    }),
    after: t.string({
      description:
        'Returns the entries after this cursor of the same list and order. Errors: INVALID_CURSOR.',
    }),
  }))
