import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { PROJECTIONS } from '../decode/projections.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'

interface ProgramAccounts {
  value: { pubkey: string }[]
}

/** The address of every account of the program that the ledger or a table has, sorted. */
export async function listAccounts(
  rpc: LedgerRpc,
  db: Kysely<Database>,
  options: { programId: string; commitment: string; minContextSlot?: number },
): Promise<string[]> {
  const { programId, commitment, minContextSlot } = options
  const listed = await rpc.call<ProgramAccounts>('getProgramAccounts', [
    programId,
    {
      encoding: 'base64',
      commitment,
      withContext: true,
      dataSlice: { offset: 0, length: 0 },
      ...(minContextSlot === undefined ? {} : { minContextSlot }),
    },
  ])
  const pdas = new Set(listed.value.map((each) => each.pubkey))
  for (const table of [...PROJECTIONS.map((projection) => projection.table), 'dead_letters'] as const) {
    const { rows } = await sql<{ pda: string }>`
      select pda from ${sql.table(table)} where pda is not null`.execute(db)
    for (const row of rows) pdas.add(row.pda)
  }
  return [...pdas].sort()
}
