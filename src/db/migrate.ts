import { withAdvisoryLock } from './advisory-lock.ts'
import type { Orm } from './orm-types.ts'

/** Applies what is missing of the migrations; replicas that start together wait for one another. Returns the names applied. */
export async function migrate(orm: Orm): Promise<string[]> {
  return withAdvisoryLock(orm, 'migrate', async () => {
    const applied = await orm.migrator.up()
    return applied.map(({ name }) => name)
  })
}
