import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InviteCodes, newInviteCode } from '../../transactions/invite-codes.ts'

const USES = 1_000

/** The invite code of the localnet, for trying out sponsorship, in `DATA_DIR/invite-code`. */
export async function ensureLocalnetInvite(dataDir: string, codes: InviteCodes): Promise<string> {
  const file = join(dataDir, 'invite-code')
  if (!existsSync(file)) writeFileSync(file, `${newInviteCode()}\n`, { mode: 0o600 })
  const code = readFileSync(file, 'utf8').trim()
  await codes.ensure(code, USES)
  return code
}
