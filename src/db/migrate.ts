import { withAdvisoryLock } from './advisory-lock.ts'
import type { Orm } from './orm-types.ts'

/**
 * Applies missing migrations and returns their names. Replicas that start together take turns.
 * `signal` ends the wait for the turn.
 */
export async function migrate(orm: Orm, signal?: AbortSignal): Promise<string[]> {
  const apply = async (): Promise<string[]> => {
    const applied = await orm.migrator.up()
    return applied.map(({ name }) => name)
  }
  return withAdvisoryLock(orm, 'migrate', apply, signal)
}
