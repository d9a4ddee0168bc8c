import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { ServiceCategory } from '@agent-registry/client'
import { sendFrom, withWallet } from './send.ts'

interface RegisterOptions {
  readonly name: string
  readonly category: ServiceCategory
  readonly cardUrl: string
  readonly card: string
  readonly inviteCode?: string
}

/** Registers the agent of a wallet, in the same steps as any client. */
export function registerCommand(): Command {
  return withWallet(new Command('register'))
    .requiredOption('--name <text>', 'name of the agent, 1 to 32 bytes')
    .requiredOption('--category <category>', 'service category, such as research')
    .requiredOption('--card-url <url>', 'URL where the agent card is published')
    .requiredOption('--card <file>', 'the published card; its hash is recorded')
    .option('--invite-code <code>', 'invite code of the service')
    .action(async (options: RegisterOptions, command: Command) => {
      const { name, category, cardUrl, inviteCode } = options
      const card = readFileSync(options.card)
      const sponsor = inviteCode === undefined ? {} : { inviteCode }
      const { output, wallet, result } = await sendFrom(command, (registry, owner, sending) =>
        registry.agents.register({ name, category, cardUrl, card, ...sponsor }, owner, sending),
      )
      const { pda, transaction } = result
      const { id, status, signature } = transaction
      output.result({ pda, owner: wallet.address, id, status, signature }, [
        `${status}: agent ${pda} of ${wallet.address}`,
        `signature ${signature}`,
      ])
    })
}
