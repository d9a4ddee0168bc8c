import { Command } from 'commander'
import { systemClock } from '../platform/clock.ts'
import {
  checkIssuer,
  createTrustedIssuers,
  type TrustedIssuer,
  type TrustedIssuers,
} from '../identity/credentials/trusted-issuers.ts'
import { keyToMultibase } from '../identity/credentials/formats.ts'
import { CommandError, type Output } from './output.ts'
import { collect } from './registry/options.ts'
import { openDatabaseWorkspace } from './workspace.ts'

interface AddOptions {
  types?: string
  key?: string[]
  notBefore?: string
  notAfter?: string
}

/** Manages trusted issuers. Changes apply immediately, also to credentials that are listed. */
export function issuerCommand(): Command {
  return new Command('issuer')
    .addCommand(addCommand())
    .addCommand(
      new Command('list').description('list all trusted issuers').action((_, command: Command) =>
        withIssuers(command, async (issuers, output) => {
          const all = await issuers.list()
          output.result(
            { issuers: all.map(shown) },
            all.length === 0 ? ['no trusted issuers'] : all.map(line),
          )
        }),
      ),
    )
    .addCommand(
      changeCommand('enable', 'trust an issuer again', (issuers, did) => issuers.setEnabled(did, true)),
    )
    .addCommand(
      changeCommand('disable', 'stop trusting an issuer, but keep its entry', (issuers, did) =>
        issuers.setEnabled(did, false),
      ),
    )
    .addCommand(changeCommand('remove', 'remove an issuer', (issuers, did) => issuers.remove(did)))
}

function addCommand(): Command {
  return new Command('add')
    .description('trust an issuer, or replace its entry')
    .argument('<did>', 'did:sol, did:key or did:web')
    .option(
      '--types <list>',
      'comma-separated types that it may issue, for example SecurityAudit; default: every type',
    )
    .option('--key <multibase>', 'key of a did:web, z6Mk… or FRAGMENT=z6Mk…; can be repeated', collect)
    .option('--not-before <iso>', 'trusted from this time')
    .option('--not-after <iso>', 'trusted until this time')
    .action(async (did: string, options: AddOptions, command: Command) => {
      const checked = checkIssuer({
        did,
        types: options.types?.split(',').map((type) => type.trim()) ?? [],
        keys: options.key ?? [],
        notBefore: options.notBefore ?? null,
        notAfter: options.notAfter ?? null,
      })
      if (typeof checked === 'string') throw new CommandError(checked)
      await withIssuers(command, async (issuers, output) => {
        const outcome = await issuers.put(checked)
        const issuer = { ...checked, enabled: true }
        output.result({ outcome, issuer: shown(issuer) }, [`${outcome}: ${line(issuer)}`])
      })
    })
}

function changeCommand(
  name: string,
  description: string,
  change: (issuers: TrustedIssuers, did: string) => Promise<boolean>,
): Command {
  return new Command(name)
    .description(description)
    .argument('<did>')
    .action((did: string, _, command: Command) =>
      withIssuers(command, async (issuers, output) => {
        if (!(await change(issuers, did))) throw new CommandError(`${did} is not a trusted issuer`)
        output.result({ did, done: name }, [`${name}: ${did}`])
      }),
    )
}

async function withIssuers(
  command: Command,
  act: (issuers: TrustedIssuers, output: Output) => Promise<void>,
): Promise<void> {
  await using workspace = await openDatabaseWorkspace(command)
  await act(createTrustedIssuers({ em: workspace.em, clock: systemClock }), workspace.output)
}

function shown(issuer: TrustedIssuer): object {
  return {
    ...issuer,
    keys: issuer.keys.map(({ verificationMethod, key }) => ({
      verificationMethod,
      publicKeyMultibase: keyToMultibase(key),
    })),
  }
}

function line({ did, allowedTypes, notBefore, notAfter, enabled }: TrustedIssuer): string {
  const period = [notBefore && `from ${notBefore}`, notAfter && `until ${notAfter}`].filter(Boolean)
  return [did, allowedTypes?.join(',') ?? 'every type', ...period, enabled ? 'enabled' : 'disabled'].join(
    '  ',
  )
}
