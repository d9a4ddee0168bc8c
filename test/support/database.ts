import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { perFile } from './lifetime.ts'
import { openOrm } from '../../src/db/orm.ts'
import { connectionTo, createDatabase, databaseUrl, dropDatabase } from './database-server.ts'
import type { DatabaseConnection, Orm } from '../../src/db/orm-types.ts'

export interface TestDatabase {
  readonly connection: DatabaseConnection
  readonly orm: Orm
  drop(): Promise<void>
}

/** Creates a migrated, empty database from the template of this run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('databaseServer')
  const name = `gateway_test_${randomBytes(6).toString('hex')}`
  await createDatabase(server, name, inject('templateDatabase'))
  const connection = connectionTo(server, name)
  const orm = await openOrm(connection)
  return {
    connection,
    orm,
    drop: async () => {
      await orm.close()
      await dropDatabase(server, name)
    },
  }
}

/** The database of a test file. */
export const useTestDatabase = (): TestDatabase => perFile(createTestDatabase)

export const urlOf = ({ connection }: TestDatabase): string => databaseUrl(connection)
