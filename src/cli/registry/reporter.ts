import { Argument, Command } from 'commander'
import type { Pubkey } from '@agent-registry/solana'
import { CommandError } from '../output.ts'
import { onCluster } from './cluster.ts'
import {
  asInteger,
  asLabel,
  asPubkey,
  type SigningOptions,
  withClusterOptions,
  withSigningOptions,
} from './options.ts'
import { readReporter, readReporters, type Reporter } from './read-registry.ts'
import { checkConfig, openSigner } from './signer.ts'

interface AddOptions extends SigningOptions {
  label: string
  weight: number
}

const KEYPAIR = 'key file of the admin'
const authorityArgument = () =>
  new Argument('<authority>', 'public key that signs the reports').argParser(asPubkey)

/** The keys that may report the behaviour of agents. */
export function reporterCommand(): Command {
  return new Command('reporter')
    .description('add, list, disable and enable the keys that report the behaviour of agents')
    .addCommand(addCommand())
    .addCommand(
      withClusterOptions(new Command('list'))
        .description('list all reporters')
        .action((_, command: Command) =>
          onCluster(command, async (cluster, output) => {
            await checkConfig(cluster)
            const reporters = await readReporters(cluster)
            if (reporters === null) throw new CommandError('The node refuses to list accounts')
            output.result({ reporters }, reporters.length === 0 ? ['no reporters'] : reporters.map(describe))
          }),
        ),
    )
    .addCommand(activation('disable', 'stop accepting reports of this key', false))
    .addCommand(activation('enable', 'accept reports of a disabled key again', true))
}

function addCommand(): Command {
  return withSigningOptions(new Command('add'), KEYPAIR)
    .description('let a key report the behaviour of agents')
    .addArgument(authorityArgument())
    .requiredOption('--label <text>', 'name of the reporter, 1 to 32 bytes', asLabel)
    .option('--weight <n>', 'weight of its reports, 5 to 10', asInteger(5, 10), 10)
    .action((authority: Pubkey, _, command: Command) =>
      onCluster(command, async (cluster, output) => {
        const options = command.optsWithGlobals<AddOptions>()
        const signer = openSigner(cluster, options, output)
        await checkConfig(cluster, signer)
        if ((await readReporter(cluster, authority)) !== null)
          throw new CommandError(`${authority} is already a reporter`)
        const { label, weight } = options
        await signer.send(signer.build.registerReporter(authority, { label, weight }))
      }),
    )
}

function activation(name: string, description: string, active: boolean): Command {
  return withSigningOptions(new Command(name), KEYPAIR)
    .description(description)
    .addArgument(authorityArgument())
    .action((authority: Pubkey, _, command: Command) =>
      onCluster(command, async (cluster, output) => {
        const signer = openSigner(cluster, command.optsWithGlobals<SigningOptions>(), output)
        await checkConfig(cluster, signer)
        const reporter = await readReporter(cluster, authority)
        if (reporter === null) throw new CommandError(`${authority} is not a reporter`)
        if (reporter.active === active) throw new CommandError(`${authority} is already ${name}d`)
        await signer.send(signer.build.setReporterActive(authority, active))
      }),
    )
}

function describe({ authority, label, weight, totalReports, active }: Reporter): string {
  return `${authority}  ${label}, weight ${weight}, ${totalReports} reports${active ? '' : ', disabled'}`
}
