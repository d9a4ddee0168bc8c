import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newInviteCode } from '../sponsorship/invite-code.ts'
import type { InviteCodes } from '../sponsorship/invite-codes.ts'

const USES = 100

/** The localnet's invite code, made once and kept in `DATA_DIR/invite-code`, so that it can be tried out. */
export async function keepLocalnetInvite(dataDir: string, codes: InviteCodes): Promise<string> {
  const file = join(dataDir, 'invite-code')
  if (!existsSync(file)) writeFileSync(file, `${newInviteCode()}\n`, { mode: 0o600 })
  const code = readFileSync(file, 'utf8').trim()
  await codes.ensure(code, USES)
  return code
}
