import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { agentAddress, createRegistry, generateSigner } from '@agent-registry/client'
import { readRuntime } from '../compose/runtime-file.ts'
import { systemClock } from '../platform/clock.ts'
import { readConfig } from '../platform/config/config.ts'
import { loadContexts } from '../identity/credentials/contexts/load.ts'
import { createTrustedIssuers } from '../identity/credentials/trusted-issuers.ts'
import { createLocalnetRpc } from '../ledger/rpc/localnet-rpc.ts'
import { use } from './client/connect.ts'
import { CommandError, jsonOf, waitFor } from './output.ts'
import { openDatabaseWorkspace } from './workspace.ts'
import { startReceiver } from './demo/receiver.ts'
import { playStory } from './demo/story.ts'

/** Runs every main feature against the gateway on this machine's localnet. */
export function demoCommand(): Command {
  return new Command('demo').action((_, command: Command) => demo(command))
}

async function demo(command: Command): Promise<void> {
  const { config } = readConfig(process.env)
  const runtime = readRuntime(config.dataDir)
  if (runtime === null || runtime.baseUrl === '')
    throw new CommandError(`no gateway is running on ${config.dataDir}: start one with npm start`)
  if (config.ledger.rpcUrls !== null)
    throw new CommandError('SOLANA_RPC_URL is set: the demo needs the faucet of a localnet')
  if (!config.sponsorship.enabled)
    throw new CommandError('the localnet has no invite code: SPONSORSHIP_ENABLED is off')
  const invite = join(config.dataDir, 'invite-code')
  // A localnet creates its first code when its sample agents are registered.
  await waitFor('the creation of the first invite code', () => existsSync(invite) || null)

  await using workspace = await openDatabaseWorkspace(command)
  const { em, output } = workspace
  const { programId } = config.ledger
  const wallet = await generateSigner()
  const receiver = await startReceiver()
  const steps: { step: string; detail: object }[] = []
  try {
    await use(async () =>
      playStory({
        registry: createRegistry(runtime.baseUrl, { program: programId, wallet }),
        wallet,
        agent: await agentAddress(wallet.address, programId),
        rpc: createLocalnetRpc(runtime.rpcUrl),
        receiver,
        inviteCode: readFileSync(invite, 'utf8').trim(),
        issuers: createTrustedIssuers({ em, clock: systemClock }),
        contexts: loadContexts(config.credentialContextsDir),
        report: (step, detail) => {
          steps.push({ step, detail })
          if (!output.json)
            process.stdout.write(`${String(steps.length).padStart(2)}. ${step}\n    ${jsonOf(detail)}\n`)
        },
      }),
    )
  } finally {
    receiver.close()
  }
  output.result({ steps }, ['done'])
}
