import type { OutputRef } from '@pothos/core'
import type { Connection, Edge } from '../src/domain/connection.ts'
import { PAGE_LIMIT } from '../src/domain/page.ts'
import { builder } from './builder.ts'

const PageInfoRef = builder.objectRef<Connection<unknown>>('PageInfo').implement({
  description: 'Where a part of a list ends.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether there are more after these.' }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description: 'Cursor of the last edge, to be given as `after`; null without edges.',
    }),
  }),
})

/** The connection over a type (GraphQL Cursor Connections, forward only). */
export function connectionType<Row>(name: string, node: OutputRef<Row>) {
  const EdgeRef = builder.objectRef<Edge<Row>>(`${name}Edge`).implement({
    description: `One entry of a ${name}Connection.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'Its place in this list and order; holds until the entry itself moves.',
      }),
      node: t.field({ type: node, description: 'The entry.', resolve: (edge) => edge.node as never }),
    }),
  })
  return builder.objectRef<Connection<Row>>(`${name}Connection`).implement({
    description:
      'A part of a list that is walked by cursors: entries that come and go before it move nothing.',
    fields: (t) => ({
      edges: t.field({
        type: [EdgeRef],
        description: 'The entries in order.',
        resolve: ({ edges }) => [...edges],
      }),
      pageInfo: t.field({
        type: PageInfoRef,
        description: 'Where these end.',
        resolve: (connection) => connection,
      }),
    }),
  })
}

/** `first` and `after`; the services check them. */
export const connectionArgs = () =>
  builder.args((t) => ({
    first: t.int({
      defaultValue: PAGE_LIMIT.default,
      description: `Entries at most: ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}.`,
    }),
    after: t.string({
      description: 'A cursor of this list and order: begins behind it. Error INVALID_CURSOR for any other.',
    }),
  }))
