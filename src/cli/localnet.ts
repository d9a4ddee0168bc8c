import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { Connection } from '@solana/web3.js'
import { Command } from 'commander'
import { sol, usdc } from '@agent-registry/client/money'
import { isPubkey, type Pubkey } from '@agent-registry/solana'
import { lockDataDir, readRuntime, writeRuntime } from '../compose/runtime-file.ts'
import { systemClock } from '../platform/clock.ts'
import { readConfig } from '../platform/config/config.ts'
import { createLogger } from '../platform/logger.ts'
import { type LocalnetFaucet, localnetFaucet } from '../compose/localnet/transaction-sender.ts'
import { CommandError, outputOf } from './output.ts'
import { asAmount } from './registry/options.ts'

/** `localnet` runs the ledger without the gateway. Its subcommands use a running localnet. */
export function localnetCommand(): Command {
  return new Command('localnet')
    .action(runLocalnet)
    .addCommand(
      new Command('airdrop')
        .description('give SOL to a wallet')
        .argument('<pubkey>')
        .argument('<sol>', 'SOL, up to 9 decimals', asAmount(sol))
        .action(async (owner: string, lamports: bigint, _, command: Command) => {
          const signature = await runningFaucet().airdrop(checked(owner), lamports)
          outputOf(command).result({ owner, lamports, signature }, [`${lamports} lamports to ${owner}`])
        }),
    )
    .addCommand(
      new Command('usdc')
        .description("mint USDC to the wallet's token account")
        .argument('<owner>')
        .argument('<amount>', 'USDC, up to 6 decimals', asAmount(usdc))
        .action(async (owner: string, units: bigint, _, command: Command) => {
          const signature = await runningFaucet().mintUsdc(checked(owner), units)
          outputOf(command).result({ owner, amount: units, signature }, [
            `${units} USDC base units to ${owner}`,
          ])
        }),
    )
    .addCommand(
      new Command('warp')
        .description("move the ledger's clock forward")
        .argument('<seconds>')
        .action(async (seconds: string, _, command: Command) => {
          if (!/^[1-9]\d{0,9}$/.test(seconds))
            throw new CommandError(`seconds must be a whole number above 0, got ${seconds}`)
          await runningFaucet().warp(Number(seconds))
          outputOf(command).result({ seconds: Number(seconds) }, [
            `moved the ledger's clock forward by ${seconds} s`,
          ])
        }),
    )
}

async function runLocalnet(): Promise<void> {
  const { config } = readConfig(process.env)
  const logger = createLogger(config.logLevel)
  const release = lockDataDir(config.dataDir)
  // Loaded only here, because an installation for a cluster may leave out the VM.
  const { startGatewayLocalnet } = await import('../compose/localnet/localnet.ts')
  const localnet = await startGatewayLocalnet(config, { clock: systemClock, logger })
  try {
    await localnet.provision()
    const { rpcUrl, wsUrl } = localnet
    writeRuntime(config.dataDir, { baseUrl: '', rpcUrl, wsUrl })
    logger.info({ rpcUrl, wsUrl }, 'localnet ready; Ctrl-C stops it')
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  } finally {
    await localnet.stop()
    release()
  }
}

const POLL_MS = 50

export const faucetOf = (rpcUrl: string): LocalnetFaucet =>
  localnetFaucet(new Connection(rpcUrl, 'confirmed'), rpcUrl, () => setTimeout(POLL_MS))

function runningFaucet(): LocalnetFaucet {
  const { config } = readConfig(process.env)
  if (config.ledger.rpcUrls !== null)
    throw new CommandError('SOLANA_RPC_URL is set: these commands need a localnet')
  const runtime = readRuntime(config.dataDir)
  if (runtime === null)
    throw new CommandError(`no localnet is running on ${config.dataDir}: start one with npm start`)
  return faucetOf(runtime.rpcUrl)
}

function checked(pubkey: string): Pubkey {
  if (!isPubkey(pubkey)) throw new CommandError(`not a base-58 public key of 32 bytes: ${pubkey}`)
  return pubkey
}
