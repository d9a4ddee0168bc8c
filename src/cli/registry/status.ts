import { Command } from 'commander'
import { registryAddresses, type RegistryAccounts, TIERS } from '@agent-registry/program'
import { decimalText } from '../../domain/decimal-text.ts'
import { type Cluster, onCluster } from './cluster.ts'
import { withClusterOptions } from './options.ts'
import { type ProgramState, readRegistry, readReporters } from './read-registry.ts'

const DAY_SECONDS = 86_400

export function statusCommand(): Command {
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

/** The config as lines of text. */
export function configLines(
  config: RegistryAccounts['RegistryConfig'] | null,
  { programId }: Cluster,
): string[] {
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
