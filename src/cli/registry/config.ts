import { Command } from 'commander'
import type { Pubkey } from '@agent-registry/solana'
import type { ConfigChanges } from '@agent-registry/program'
import { CommandError } from '../output.ts'
import { onCluster } from './cluster.ts'
import {
  asBoolean,
  asCooldown,
  asPubkey,
  asThresholds,
  type SigningOptions,
  withSigningOptions,
} from './options.ts'
import { checkConfig, openSigner } from './signer.ts'
import { configLines } from './status.ts'

interface ConfigOptions extends Omit<SigningOptions, 'keypair'> {
  keypair?: string
  admin?: Pubkey
  treasury?: Pubkey
  thresholds?: bigint[]
  cooldownDays?: bigint
  paused?: boolean
}

export function configCommand(): Command {
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
        const changes = changesOf(options)
        if (Object.keys(changes).length === 0) {
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

function changesOf(options: ConfigOptions): ConfigChanges {
  const { admin, treasury, thresholds, cooldownDays, paused } = options
  return {
    ...(admin === undefined ? {} : { admin }),
    ...(treasury === undefined ? {} : { treasury }),
    ...(thresholds === undefined ? {} : { tierThresholds: thresholds }),
    ...(cooldownDays === undefined ? {} : { cooldownSeconds: cooldownDays }),
    ...(paused === undefined ? {} : { paused }),
  }
}
