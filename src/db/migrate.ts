import { withAdvisoryLock } from './advisory-lock.ts'
import type { Orm } from './orm-types.ts'

/** Applies missing migrations and returns their names. Replicas that start together take turns. */
export async function migrate(orm: Orm): Promise<string[]> {
  return withAdvisoryLock(orm, 'migrate', async () => {
    const applied = await orm.migrator.up()
    return applied.map(({ name }) => name)
  })
}
