import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { ServiceCategory } from '@agent-registry/client'
import { addUrl, connect, readWallet, use } from './connect.ts'

interface RegisterOptions {
  readonly key: string
  readonly name: string
  readonly category: ServiceCategory
  readonly cardUrl: string
  readonly card: string
  readonly inviteCode?: string
}

/** Registers the agent of a wallet, in the same steps as any client. */
export function registerCommand(): Command {
  return addUrl(new Command('register'))
    .requiredOption('--key <file>', 'Solana CLI key file of the wallet')
    .requiredOption('--name <text>', 'name of the agent, 1 to 32 bytes')
    .requiredOption('--category <category>', 'service category, such as research')
    .requiredOption('--card-url <url>', 'URL where the agent card is published')
    .requiredOption('--card <file>', 'the published card; its hash is recorded')
    .option('--invite-code <code>', 'invite code of the service')
    .option('--program <address>', 'registry program that the wallet signs for; default: the released one')
    .action(async (options: RegisterOptions, command: Command) => {
      const { name, category, cardUrl, inviteCode } = options
      const wallet = await readWallet(options.key)
      const card = readFileSync(options.card)
      const sponsor = inviteCode === undefined ? {} : { inviteCode }
      const { registry, output } = connect(command)
      const { pda, transaction } = await use(() =>
        registry.agents.register({ name, category, cardUrl, card, ...sponsor }, wallet),
      )
      const { status, signature } = transaction
      output.result({ pda, owner: wallet.address, status, signature }, [
        `${status}: agent ${pda} of ${wallet.address}`,
        `signature ${signature}`,
      ])
    })
}
