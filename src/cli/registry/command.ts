import { Argument, Command } from 'commander'
import {
  type ConfigChanges,
  DEFAULT_COOLDOWN_SECONDS,
  DEFAULT_TIER_THRESHOLDS,
  type RegistryAccounts,
  registryAddresses,
  TIERS,
} from '@agent-registry/program'
import { decimalText } from '../../domain/decimal-text.ts'
import {
  type Cluster,
  onCluster,
  type ProgramState,
  readRegistry,
  readReporter,
  readReporters,
  type Reporter,
} from './cluster.ts'
import {
  asBoolean,
  asCooldown,
  asInteger,
  asLabel,
  asPubkey,
  asThresholds,
  type SigningOptions,
  withClusterOptions,
  withSigningOptions,
} from './options.ts'
import type { Pubkey } from '@agent-registry/solana'
import { CommandError } from '../output.ts'
import { checkConfig, checkProgram, openSigner } from './send-instruction.ts'

export function registryCommand(): Command {
  return new Command('registry')
    .addCommand(statusCommand())
    .addCommand(initCommand())
    .addCommand(reporterCommand())
    .addCommand(configCommand())
}

const DAY_SECONDS = 86_400

function statusCommand(): Command {
  return withClusterOptions(new Command('status'))
    .description('show the program, its upgrade authority, the config and the number of reporters')
    .action((_, command: Command) =>
      onCluster(command, async (cluster, output) => {
        const { program, config } = await readRegistry(cluster)
        const reporters = config === null ? null : await readReporters(cluster)
        const counts = reporters && {
          total: reporters.length,
          active: reporters.filter(({ active }) => active).length,
        }
        const { network, host, programId } = cluster
        output.result({ network, programId, program, config, reporters: counts }, [
          `ledger             ${network} (${host})`,
          `program            ${programId} ${describeProgram(program)}`,
          `upgrade authority  ${program?.upgradeAuthority ?? 'none'}`,
          ...configLines(config, cluster),
          ...(config === null ? [] : [`reporters          ${describeCounts(counts)}`]),
        ])
      }),
    )
}

function describeProgram(program: ProgramState | null): string {
  if (program === null) return 'does not exist'
  if (!program.executable) return 'is not a program'
  return program.isThisVersion
    ? 'is the registry.so of this version'
    : 'is not the registry.so of this version'
}

function configLines(config: RegistryAccounts['RegistryConfig'] | null, { programId }: Cluster): string[] {
  if (config === null) return ['config             not initialized']
  const tiers = config.tierThresholds.map((each, i) => `${TIERS[i]} from ${decimalText(each, 6)}`)
  return [
    `config             ${registryAddresses(programId).config()}`,
    `admin              ${config.admin}`,
    `USDC mint          ${config.usdcMint}`,
    `treasury           ${config.treasury}`,
    `tiers (USDC)       ${tiers.join(', ')}`,
    `cooldown           ${Number(config.cooldownSeconds) / DAY_SECONDS} days`,
    `paused             ${config.paused ? 'yes' : 'no'}`,
  ]
}

function describeCounts(counts: { total: number; active: number } | null): string {
  return counts === null
    ? 'unknown: the node refuses to list accounts'
    : `${counts.total}, ${counts.active} active`
}

interface InitOptions extends SigningOptions {
  usdcMint: Pubkey
  treasury?: Pubkey
  thresholds?: bigint[]
  cooldownDays?: bigint
}

function initCommand(): Command {
  return withSigningOptions(new Command('init'), 'key file of the upgrade authority, which becomes the admin')
    .description('create the config account, once')
    .requiredOption('--usdc-mint <address>', 'SPL Token mint of the stakes, with 6 decimals', asPubkey)
    .option('--treasury <address>', 'public key to store as the treasury; default the admin', asPubkey)
    .option('--thresholds <usdc>', 'USDC from which each tier starts; default 0,100,500,1000', asThresholds)
    .option('--cooldown-days <days>', 'waiting time of a withdrawal, 1 to 90; default 7', asCooldown)
    .action((_, command: Command) =>
      onCluster(command, async (cluster, output) => {
        const options = command.optsWithGlobals<InitOptions>()
        const signer = openSigner(cluster, options, output)
        const { program, config } = await readRegistry(cluster)
        checkProgram(program, cluster)
        if (config !== null)
          throw new CommandError(`The registry is already initialized. Its admin is ${config.admin}`)
        if (program.upgradeAuthority !== signer.key)
          throw new CommandError(
            `Only the upgrade authority of the program can initialize it: ${program.upgradeAuthority ?? 'it has none'}; --keypair is ${signer.key}`,
          )
        const { usdcMint, treasury = signer.key } = options
        const settings = {
          tierThresholds: options.thresholds ?? DEFAULT_TIER_THRESHOLDS,
          cooldownSeconds: options.cooldownDays ?? DEFAULT_COOLDOWN_SECONDS,
        }
        await signer.send(signer.build.initialize({ usdcMint, treasury }, settings))
      }),
    )
}

interface AddOptions extends SigningOptions {
  label: string
  weight: number
}

const KEYPAIR = 'key file of the admin'
const authorityArgument = () =>
  new Argument('<authority>', 'public key that signs the reports').argParser(asPubkey)

function reporterCommand(): Command {
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

interface ConfigOptions extends Omit<SigningOptions, 'keypair'> {
  keypair?: string
  admin?: Pubkey
  treasury?: Pubkey
  thresholds?: bigint[]
  cooldownDays?: bigint
  paused?: boolean
}

function configCommand(): Command {
  return withSigningOptions(new Command('config'), 'key file of the admin, needed for a change', false)
    .description('show the config, or change the given values')
    .option('--admin <address>', 'new admin: only its key can change the config afterwards', asPubkey)
    .option('--treasury <address>', 'public key to store as the treasury', asPubkey)
    .option('--thresholds <usdc>', 'USDC from which each tier starts, such as 0,100,500,1000', asThresholds)
    .option('--cooldown-days <days>', 'waiting time of a withdrawal, 1 to 90', asCooldown)
    .option('--paused <boolean>', 'true stops registrations, deposits and most other instructions', asBoolean)
    .action((_, command: Command) =>
      onCluster(command, async (cluster, output) => {
        const options = command.optsWithGlobals<ConfigOptions>()
        const { admin, treasury, thresholds, cooldownDays, paused } = options
        const limits = { tierThresholds: thresholds, cooldownSeconds: cooldownDays }
        const changes: ConfigChanges = { admin, treasury, paused, ...limits }
        if (Object.values(changes).every((each) => each === undefined)) {
          const config = await checkConfig(cluster)
          output.result({ ...config }, configLines(config, cluster))
          return
        }
        const { keypair } = options
        if (keypair === undefined) throw new CommandError('Set --keypair to the key file of the admin')
        const signer = openSigner(cluster, { ...options, keypair }, output)
        await checkConfig(cluster, signer)
        await signer.send(signer.build.updateConfig(changes))
      }),
    )
}
