import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Kysely, sql } from 'kysely'
import type { AuditReport } from '../../src/ledger/audit/audit.ts'
import type { Database } from '../../src/db/database.ts'
import { rounded } from '../support/statistics.ts'

export interface Audited {
  /** Time of the whole command. */
  readonly seconds: number
  readonly exitCode: number
  readonly report: AuditReport
}

const CLI = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** Runs `audit --json` as an operator would, on the given ledger and database. */
async function runAudit(env: { SOLANA_RPC_URL: string; DATABASE_URL: string }): Promise<Audited> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-audit-'))
  try {
    const began = performance.now()
    const child = spawn(process.execPath, [CLI, 'audit', '--json'], {
      env: { ...process.env, ...env, DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const seconds = rounded((performance.now() - began) / 1_000, 1)
    return { seconds, exitCode: exitCode as number, report: JSON.parse(output) as AuditReport }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/**
 * Audits the unchanged tables, `rounds` times, and once after an edit of one field of one agent in
 * the middle.
 */
export async function auditAll(
  kysely: Kysely<Database>,
  env: { SOLANA_RPC_URL: string; DATABASE_URL: string },
  rounds: number,
): Promise<{ whole: Audited[]; edited: { pda: string; audited: Audited } }> {
  const whole: Audited[] = []
  for (let round = 0; round < rounds; round += 1) whole.push(await runAudit(env))
  const { rows } = await sql<{ pda: string }>`
    update agents set reputation_score = reputation_score + 1 where pda = (
      select pda from agents order by pda offset (select count(*) / 2 from agents) limit 1
    ) returning pda`.execute(kysely)
  return { whole, edited: { pda: rows[0]?.pda ?? '', audited: await runAudit(env) } }
}
