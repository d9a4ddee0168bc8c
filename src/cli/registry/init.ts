import { Command } from 'commander'
import type { Pubkey } from '@agent-registry/solana'
import { DEFAULT_COOLDOWN_SECONDS, DEFAULT_TIER_THRESHOLDS } from '@agent-registry/program'
import { CommandError } from '../output.ts'
import { onCluster } from './cluster.ts'
import { asCooldown, asPubkey, asThresholds, type SigningOptions, withSigningOptions } from './options.ts'
import { readRegistry } from './read-registry.ts'
import { checkProgram, openSigner } from './signer.ts'

interface InitOptions extends SigningOptions {
  usdcMint: Pubkey
  treasury?: Pubkey
  thresholds?: bigint[]
  cooldownDays?: bigint
}

export function initCommand(): Command {
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
