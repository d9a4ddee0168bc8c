import { Command } from 'commander'
import {
  CODE_USES,
  createInviteCodes,
  type InviteCodeRow,
  type InviteCodes,
} from '../transactions/invite-codes.ts'
import { CommandError, type Output } from './output.ts'
import { openDatabaseWorkspace } from './workspace.ts'

export function inviteCommand(): Command {
  return new Command('invite')
    .addCommand(
      new Command('create')
        .description('create a code; it is shown only once and stored as a hash')
        .option('--uses <n>', 'number of registrations', '1')
        .option('--expires <iso>', 'expiry time, ISO 8601, for example 2027-01-31T00:00:00Z')
        .action((options: { uses: string; expires?: string }, command: Command) => {
          const maxUses = usesOf(options.uses)
          const expiresAt = expiryOf(options.expires)
          return withCodes(command, async (codes, output) => {
            const { code, id } = await codes.create({ maxUses, expiresAt })
            output.result({ code, id, maxUses, expiresAt }, [code])
          })
        }),
    )
    .addCommand(
      new Command('list').description('list all codes with their ids').action((_, command: Command) =>
        withCodes(command, async (codes, output) => {
          const rows = await codes.list()
          output.result({ codes: rows }, rows.length === 0 ? ['no codes'] : rows.map(describe))
        }),
      ),
    )
    .addCommand(
      new Command('revoke')
        .description('revoke a code; prepared registrations that were not submitted become invalid')
        .argument('<code>', 'the code, or its id')
        .action((code: string, _, command: Command) =>
          withCodes(command, async (codes, output) => {
            if (!(await codes.revoke(code))) throw new CommandError('code not found')
            output.result({ revoked: true }, ['revoked'])
          }),
        ),
    )
}

function usesOf(text: string): number {
  const uses = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0
  if (uses < CODE_USES.min || uses > CODE_USES.max)
    throw new CommandError(`--uses must be a whole number from 1 to ${CODE_USES.max}, got ${text}`)
  return uses
}

function expiryOf(text: string | undefined): Date | null {
  if (text === undefined) return null
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(time)) throw new CommandError(`--expires must be an ISO 8601 time, got ${text}`)
  if (time <= Date.now()) throw new CommandError(`--expires must be in the future, got ${text}`)
  return new Date(time)
}

function describe({ id, uses, maxUses, expiresAt, revokedAt }: InviteCodeRow): string {
  const end =
    revokedAt === null ? (expiresAt === null ? '' : `, expires ${expiresAt}`) : `, revoked ${revokedAt}`
  return `${id}  ${uses} of ${maxUses} used${end}`
}

async function withCodes(
  command: Command,
  work: (codes: InviteCodes, output: Output) => Promise<void>,
): Promise<void> {
  await using workspace = await openDatabaseWorkspace(command)
  await work(createInviteCodes(workspace.em), workspace.output)
}
