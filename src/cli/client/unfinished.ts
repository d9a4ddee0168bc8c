import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UnfinishedTransaction } from '@agent-registry/client'
import { readConfig } from '../../platform/config/config.ts'
import { CommandError } from '../output.ts'

/** A signed transaction whose outcome is not known, and who sent it where. */
export interface StoredTransaction extends UnfinishedTransaction {
  readonly wallet: string
  /** Base URL of the gateway. */
  readonly url: string
}

/** The gateway chooses the ids, and they become file names. */
const ID = /^[\w-]{1,64}$/
const SUFFIX = '.json'

/**
 * The unfinished transactions of DATA_DIR, a file each that only its owner can read. They survive a
 * killed command.
 */
export function unfinishedTransactions() {
  const folder = join(readConfig(process.env).config.dataDir, 'unfinished')
  const fileOf = (id: string): string => {
    if (!ID.test(id))
      throw new CommandError(`an id of a transaction has letters, digits and -, got ${JSON.stringify(id)}`)
    return join(folder, id + SUFFIX)
  }
  const list = (): StoredTransaction[] => namesIn(folder).map((name) => read(join(folder, name)))
  return {
    fileOf,
    list,
    find: (id: string): StoredTransaction | null => list().find((each) => each.id === id) ?? null,
    put: (transaction: StoredTransaction): void => {
      const file = fileOf(transaction.id)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(`${file}.new`, `${JSON.stringify(transaction)}\n`, { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
    remove: (id: string): void => rmSync(fileOf(id), { force: true }),
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(SUFFIX))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function read(file: string): StoredTransaction {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as StoredTransaction
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new CommandError(`${file} is not an unfinished transaction: ${error.message}`, {}, { cause: error })
  }
}
