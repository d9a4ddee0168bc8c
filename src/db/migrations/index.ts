import { readdirSync, readFileSync } from 'node:fs'
import type { MigrationObject } from '@mikro-orm/core'
import { Migration } from '@mikro-orm/migrations'

const FOLDER = new URL('./', import.meta.url)

/** A migration is an SQL file, or a folder of SQL files that run in the order of their names. */
function readMigration(entry: string): MigrationObject {
  const files = entry.endsWith('.sql') ? [entry] : readdirSync(new URL(entry, FOLDER)).toSorted()
  const folder = entry.endsWith('.sql') ? FOLDER : new URL(`${entry}/`, FOLDER)
  return {
    name: entry.replace('.sql', ''),
    class: class extends Migration {
      override up(): void {
        for (const file of files) this.addSql(readFileSync(new URL(file, folder), 'utf8'))
      }
    },
  }
}

/** Every migration, in the order in which they are applied. */
export const migrationsList = readdirSync(FOLDER)
  .filter((entry) => /^\d{4}-/.test(entry))
  .toSorted()
  .map(readMigration)
