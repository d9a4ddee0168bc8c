import type { EntitySchemaWithMeta } from '@mikro-orm/core'
import { type InferKyselyTable, UnderscoreNamingStrategy } from '@mikro-orm/postgresql'
import { type RawBuilder, type Selectable, sql } from 'kysely'

/** A row under the names of the entity's properties: `serviceCategory` for `service_category`. */
export type RowOf<Entity extends EntitySchemaWithMeta> = Selectable<
  InferKyselyTable<Entity, { columnNamingStrategy: 'property' }>
>

const naming = new UnderscoreNamingStrategy()

/** The select list for such rows without the `hidden` properties, so that reading maps nothing. */
export function columnsOf<Entity extends EntitySchemaWithMeta>(
  { tableName, properties }: Entity,
  hidden: readonly (keyof RowOf<Entity>)[],
): RawBuilder<unknown> {
  const hides = new Set<unknown>(hidden)
  const columns = Object.keys(properties).flatMap((name) => {
    const column = sql.ref(`${tableName}.${naming.propertyToColumnName(name)}`)
    return hides.has(name) ? [] : [sql`${column} as ${sql.ref(name)}`]
  })
  return sql.join(columns)
}
