import type { EntitySchemaWithMeta } from '@mikro-orm/core'
import { type InferKyselyTable, UnderscoreNamingStrategy } from '@mikro-orm/postgresql'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { escapeIdentifier } from 'pg'

/** A row under the names of the entity's properties: `serviceCategory` for `service_category`. */
export type RowOf<Entity extends EntitySchemaWithMeta> = Selectable<
  InferKyselyTable<Entity, { columnNamingStrategy: 'property' }>
>

const naming = new UnderscoreNamingStrategy()

/**
 * The select list for such rows without the `hidden` properties, so that reading maps nothing. It
 * is raw text, because Kysely would compile references again for every query.
 */
export function columnsOf<Entity extends EntitySchemaWithMeta>(
  { tableName, properties }: Entity,
  hidden: readonly (keyof RowOf<Entity>)[],
): RawBuilder<unknown> {
  const hides = new Set<unknown>(hidden)
  const columns = Object.keys(properties).flatMap((name) => {
    const column = [tableName, naming.propertyToColumnName(name)].map(escapeIdentifier).join('.')
    return hides.has(name) ? [] : [`${column} as ${escapeIdentifier(name)}`]
  })
  return sql.raw(columns.join(', '))
}
