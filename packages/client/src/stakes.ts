import type { Context } from './context.ts'
import {
  agentAddress,
  cancelWithdrawal,
  closeStake,
  completeWithdrawal,
  deposit,
  requestWithdrawal,
  stakeAddress,
} from './generated/program.ts'
import { readRentPayer } from './graphql/query.ts'
import type { Operations } from './generated/api.ts'
import { listing } from './pages.ts'
import { tokenAccount } from './program/program-address.ts'
import type { Signer } from './signers/signer.ts'
import type { SendOptions } from './transactions/flow.ts'
import type { Transaction } from './transactions/outcome.ts'

export type Stake = Operations['getStake']['response']
export type StakeFilter = NonNullable<Operations['listStakes']['query']>

/** Amounts are USDC base units: 1 USDC is 1,000,000n. */
export function createStakes(context: Context) {
  const { call, program, send } = context
  const tokensOf = async (owner: string) => {
    const usdcMint = await context.mint()
    return { ownerToken: await tokenAccount(owner, usdcMint), usdcMint }
  }

  return {
    /** Stakes that match, sorted by `pda`. `limit` is the size of a page. */
    list: (filter: StakeFilter = {}) =>
      listing(
        (page) => call('listStakes', { query: { ...filter, ...page } }),
        ({ stakes }) => stakes,
        filter,
      ),

    get: (pda: string): Promise<Stake> => call('getStake', { path: { pda } }),

    /** Moves USDC from the wallet’s token account to the vault of its agent. */
    deposit: async (amount: bigint, signer: Signer, options?: SendOptions): Promise<Transaction> => {
      const owner = signer.address
      const accounts = { payer: owner, owner, ...(await tokensOf(owner)) }
      return send(await deposit(accounts, { amount }, program), signer, options)
    },

    /** Requests a withdrawal. It can be completed after the cooldown of the registry. */
    requestWithdrawal: async (amount: bigint, signer: Signer, options?: SendOptions): Promise<Transaction> =>
      send(await requestWithdrawal({ owner: signer.address }, { amount }, program), signer, options),

    cancelWithdrawal: async (signer: Signer, options?: SendOptions): Promise<Transaction> =>
      send(await cancelWithdrawal({ owner: signer.address }, program), signer, options),

    completeWithdrawal: async (signer: Signer, options?: SendOptions): Promise<Transaction> => {
      const { ownerToken } = await tokensOf(signer.address)
      return send(await completeWithdrawal({ owner: signer.address, ownerToken }, program), signer, options)
    },

    /**
     * Closes the empty stake of a deactivated agent. The rent goes to who paid the first deposit.
     */
    close: async (signer: Signer, options?: SendOptions): Promise<Transaction> => {
      const { ownerToken } = await tokensOf(signer.address)
      const stake = await stakeAddress(await agentAddress(signer.address, program), program)
      const rentPayer = await readRentPayer(context.transport, 'stake', stake)
      const instruction = await closeStake({ owner: signer.address, ownerToken, rentPayer }, program)
      return send(instruction, signer, options)
    },
  }
}
