import { Command } from 'commander'
import type { Transaction } from '@agent-registry/client'
import { usdc } from '@agent-registry/client/money'
import { asAmount } from '../registry/options.ts'
import type { Output } from '../output.ts'
import { sendFrom, withWallet } from './send.ts'

const AMOUNT = 'USDC, up to 6 decimals'

export function depositCommand(): Command {
  return withWallet(new Command('deposit'))
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
    .argument('<amount>', AMOUNT, asAmount(usdc))
    .action(async (amount: bigint, _, command: Command) => {
      const { output, wallet, result } = await sendFrom(command, (registry, owner, options) =>
        registry.stakes.requestWithdrawal(amount, owner, options),
      )
      print(output, { owner: wallet.address, amount }, result)
    })
}

export function completeWithdrawalCommand(): Command {
  return withWallet(new Command('complete-withdrawal')).action(async (_, command: Command) => {
    const { output, wallet, result } = await sendFrom(command, (registry, owner, options) =>
      registry.stakes.completeWithdrawal(owner, options),
    )
    print(output, { owner: wallet.address }, result)
  })
}

function print(output: Output, what: object, { id, status, signature }: Transaction): void {
  output.result({ ...what, id, status, signature }, [`${status}: signature ${signature}`])
}
