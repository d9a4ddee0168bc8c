import { type Kysely, sql } from 'kysely'

/** The objects of a schema as PostgreSQL describes them. The order of columns does not count. */
const PARTS = {
  tables: sql<{ line: string }>`
    select format('%s persistence %s, options %s', relname, relpersistence, reloptions) as line
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  columns: sql<{ line: string }>`
    select format('%s.%s %s collate %s, not null %s, identity %s, generated %s, default %s',
      a.attrelid::regclass, attname, format_type(atttypid, atttypmod), collname, attnotnull,
      attidentity, attgenerated, pg_get_expr(adbin, adrelid)) as line
    from pg_attribute a join pg_class t on t.oid = attrelid
    left join pg_collation c on c.oid = attcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped`,
  indexes: sql<{ line: string }>`select indexdef as line from pg_indexes where schemaname = 'public'`,
  constraints: sql<{ line: string }>`
    select format('%s on %s: %s', conname, conrelid::regclass, pg_get_constraintdef(oid)) as line
    from pg_constraint where connamespace = 'public'::regnamespace`,
  triggers: sql<{ line: string }>`
    select format('%s, enabled %s', pg_get_triggerdef(oid), tgenabled) as line
    from pg_trigger where not tgisinternal`,
  functions: sql<{ line: string }>`
    select pg_get_functiondef(p.oid) as line from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')`,
}

type SchemaDescription = Record<keyof typeof PARTS, string[]>

/** Each object of the schema as one line, sorted, without the table of applied migrations. */
export async function describeSchema(kysely: Kysely<never>): Promise<SchemaDescription> {
  const described: Partial<SchemaDescription> = {}
  for (const part of Object.keys(PARTS) as (keyof typeof PARTS)[]) {
    const { rows } = await PARTS[part].execute(kysely)
    const lines = rows.map(({ line }) => line)
    described[part] = lines.filter((line) => !line.includes('schema_migrations')).toSorted()
  }
  return described as SchemaDescription
}
