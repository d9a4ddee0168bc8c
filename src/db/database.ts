import type { InferKyselyDB } from '@mikro-orm/postgresql'
import type { entities } from './entities/index.ts'

/** The tables and their column types for Kysely, inferred from the entities. */
export interface Database extends InferKyselyDB<(typeof entities)[number]> {}
