import type { OutputRef } from '@pothos/core'
import type { Connection, Edge } from '../src/domain/connection.ts'
import { PAGE_LIMIT } from '../src/domain/page.ts'
import { builder } from './builder.ts'
import { bool, fieldsOf, int, list, objectType, of, text } from './columns.ts'
import { VALUES_PER_UNIT } from './limits.ts'

const PageInfoRef = objectType<Connection<unknown>>('PageInfo', 'The position of a page in its list.', {
  hasNextPage: bool('Whether more entries follow. With `last`: whether `before` was given.'),
  hasPreviousPage: bool('Whether entries precede this page. Without `last`: whether `after` was given.'),
})

builder.objectFields(PageInfoRef, (t) => ({
  startCursor: t.string({
    nullable: true,
    description:
      'Cursor of the first edge. Pass it as `before` with `last` to get the previous page. Null without edges.',
    resolve: ({ edges }) => edges[0]?.cursor ?? null,
  }),
  endCursor: t.string({
    nullable: true,
    description: 'Cursor of the last edge. Pass it as `after` to get the next page. Null without edges.',
    resolve: ({ edges }) => edges.at(-1)?.cursor ?? null,
  }),
}))

type ListArgs = Readonly<Record<string, unknown>>

interface ConnectionOptions {
  /** The units of counting all entries, from the arguments of the list. Default: one per list. */
  readonly countUnits?: (args: ListArgs) => number
  /** Whether the connection has `totalCount`. Default: true. */
  readonly isCounted?: boolean
}

/** The connection of a type (GraphQL Cursor Connections Specification). */
export function connectionType<Row>(
  name: string,
  node: OutputRef<Row>,
  { countUnits, isCounted = true }: ConnectionOptions = {},
) {
  const EdgeRef = objectType<Edge<Row>>(`${name}Edge`, `An entry of \`${name}Connection\`.`, {
    cursor: text(
      'Position of the entry in this list and order. Valid until the sort key of the entry changes.',
    ),
    node: of(node, 'The entry.'),
  })
  const ref = builder.objectRef<Connection<Row>>(`${name}Connection`).implement({
    description:
      'A page of a list with cursor pagination. Entries that are added or removed before the cursor do not move the page.',
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The entries of this page without their cursors.',
        resolve: ({ edges }) => edges.map((edge) => edge.node) as never,
      }),
      ...fieldsOf(t, { edges: list(of(EdgeRef, 'The entries of this page, in order.')) }),
      pageInfo: t.field({
        type: PageInfoRef,
        description: 'The position of this page.',
        resolve: (connection) => connection,
      }),
    }),
  })
  const units = countUnits && ((_args: object, listArgs: ListArgs) => countUnits(listArgs))
  if (isCounted)
    builder.objectField(ref, 'totalCount', (t) =>
      t.int({
        extensions: units === undefined ? { weight: VALUES_PER_UNIT } : { units },
        description: 'Exact number of entries in all pages. Counted only if selected.',
        resolve: ({ count }) => count(),
      }),
    )
  return ref
}

/** The arguments of a connection. The services check the values. */
export const CONNECTION_ARGS = {
  first: int(
    `Maximum number of entries from the start: ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}. Default: ${PAGE_LIMIT.default}, unless \`last\` is given.`,
  ),
  after: text('Returns the entries after this cursor of the same list and order.'),
  last: int(
    `Maximum number of entries from the end: ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}. Not together with \`first\`.`,
  ),
  before: text('Returns the entries before this cursor of the same list and order.'),
}
