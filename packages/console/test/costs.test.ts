import { expect, test } from 'vitest'
import { costsOf } from '../src/transaction/costs.ts'
import type { DecodedTransaction } from '../src/transaction/decode.ts'

const RENTS = { agent: '3825536', withdrawal: '1', deactivation: '2', stake: '30', vault: '400' }

/** One instruction. The wallet pays the network fee of 5,000 lamports. */
const transaction = (name: string, payer = 'wallet'): DecodedTransaction => ({
  feePayer: 'wallet',
  networkFee: 5_000n,
  instructions: [
    {
      programId: 'registry',
      decoded: {
        name,
        accounts: [{ name: 'payer', pubkey: payer, isSigner: true, isWritable: true }],
        args: { amount: 7n },
      },
    },
  ],
})

test.each<[name: string, rents: Partial<typeof RENTS>, rent: bigint]>([
  ['registerAgent', {}, 3_825_536n],
  ['registerAgent', { agent: '524224' }, 524_224n],
  ['deposit', {}, 430n],
  ['requestWithdrawal', { withdrawal: '9' }, 9n],
])('the rent of %s is what the ledger asks now: with %j', (name, rents, rent) => {
  const costs = costsOf(transaction(name), 'wallet', { firstDeposit: true }, { ...RENTS, ...rents })
  expect(costs).toMatchObject({ rent, walletLamports: rent + 5_000n })
})

test('rent that is not known is no number, and the rent of another payer costs the wallet nothing', () => {
  const unknown = costsOf(transaction('registerAgent'), 'wallet', {}, undefined)
  expect(unknown).toMatchObject({ rent: null, walletLamports: null, networkFee: 5_000n })
  const sponsored = costsOf(transaction('registerAgent', 'gateway'), 'wallet', {}, RENTS)
  expect(sponsored).toMatchObject({ rent: 3_825_536n, rentPayer: 'gateway', walletLamports: 5_000n })
})
