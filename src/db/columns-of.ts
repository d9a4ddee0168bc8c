import type { EntitySchemaWithMeta } from '@mikro-orm/core'
import { type InferKyselyTable, UnderscoreNamingStrategy } from '@mikro-orm/postgresql'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { escapeIdentifier } from 'pg'

/** A row under the names of the entity's properties: `serviceCategory` for `service_category`. */
export type RowOf<Entity extends EntitySchemaWithMeta> = Selectable<
  InferKyselyTable<Entity, { columnNamingStrategy: 'property' }>
>

const naming = new UnderscoreNamingStrategy()

export type Selection = ReturnType<typeof selectionOf>

/** The names of such rows without the `hidden` properties, and their part of a select list. */
export function selectionOf<Entity extends EntitySchemaWithMeta>(
  { tableName, properties }: Entity,
  hidden: readonly (keyof RowOf<Entity>)[],
) {
  const hides = new Set<unknown>(hidden)
  const names = Object.keys(properties).filter((name) => !hides.has(name))
  const fields = names.map((name) =>
    [tableName, naming.propertyToColumnName(name)].map(escapeIdentifier).join('.'),
  )
  const columns = fields.map((field, i) => `${field} as ${escapeIdentifier(names[i]!)}`)
  return { names, fields, columns }
}

/**
 * The select list for such rows, so that reading maps nothing. It is raw text, because Kysely would
 * compile references again for every query.
 */
export function columnsOf<Entity extends EntitySchemaWithMeta>(
  entity: Entity,
  hidden: readonly (keyof RowOf<Entity>)[],
): RawBuilder<unknown> {
  return sql.raw(selectionOf(entity, hidden).columns.join(', '))
}

export function milliseconds(count: number): RawBuilder<unknown> {
  return sql`(${Math.round(count)}::bigint * interval '1 millisecond')`
}
