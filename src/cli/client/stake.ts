import { Command } from 'commander'
import type { Transaction } from '@agent-registry/client'
import { usdc } from '@agent-registry/client/money'
import { asAmount } from '../registry/options.ts'
import type { Output } from '../output.ts'
import { sendFrom, withWallet } from './send.ts'

const AMOUNT = 'USDC, up to 6 decimals'

export function depositCommand(): Command {
  return withWallet(new Command('deposit'))
    .description('deposit USDC of a wallet as the stake of its agent')
    .argument('<amount>', AMOUNT, asAmount(usdc))
    .action(async (amount: bigint, _, command: Command) => {
      const { output, wallet, result } = await sendFrom(command, (registry, owner, options) =>
        registry.stakes.deposit(amount, owner, options),
      )
      print(output, { owner: wallet.address, amount }, result)
    })
}

export function withdrawCommand(): Command {
  return withWallet(new Command('withdraw'))
    .description('request a withdrawal of stake, to be completed after the cooldown of the registry')
    .argument('<amount>', AMOUNT, asAmount(usdc))
    .action(async (amount: bigint, _, command: Command) => {
      const { output, wallet, result } = await sendFrom(command, (registry, owner, options) =>
        registry.stakes.requestWithdrawal(amount, owner, options),
      )
      print(output, { owner: wallet.address, amount }, result)
    })
}

export function completeWithdrawalCommand(): Command {
  return withWallet(new Command('complete-withdrawal'))
    .description('pay out the requested withdrawal to the wallet, after the cooldown of the registry')
    .action(async (_, command: Command) => {
      const { output, wallet, result } = await sendFrom(command, (registry, owner, options) =>
        registry.stakes.completeWithdrawal(owner, options),
      )
      print(output, { owner: wallet.address }, result)
    })
}

function print(output: Output, what: object, { id, status, signature }: Transaction): void {
  output.result({ ...what, id, status, signature }, [`${status}: signature ${signature}`])
}
