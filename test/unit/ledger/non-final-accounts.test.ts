import { expect, test } from 'vitest'
import { emptySnapshot } from '../../../src/ledger/decode/decode-account.ts'
import { withoutFinalAccounts } from '../../../src/ledger/decode/rows.ts'
import { NonFinalAccounts } from '../../../src/ledger/indexer/position.ts'

test('an account is due when the slot of its latest read is final, until it is read again', () => {
  const accounts = new NonFinalAccounts()
  const readAt = (slot: number) =>
    accounts.add([{ ...emptySnapshot(slot), closed: ['a', 'b'].map((pda) => ({ pda, slot })) }])
  readAt(5)
  readAt(3)
  expect(accounts.readUpTo(4, 10)).toEqual([])
  expect(accounts.readUpTo(5, 10)).toEqual(['a', 'b'])
  expect(accounts.readUpTo(5, 1)).toEqual(['a'])
  accounts.remove(['a', 'b'], 4)
  expect(accounts.readUpTo(5, 10)).toEqual(['a', 'b'])
  accounts.remove(['a'], 5)
  expect(accounts.readUpTo(5, 10)).toEqual(['b'])
})

test('the accounts of a final transaction are not stored', () => {
  const rows = ['confirmed', 'finalized'].map((finality) => ({ finality, accounts: ['one', 'two'] }))
  expect(withoutFinalAccounts(rows as never).map(({ accounts }) => accounts)).toEqual([['one', 'two'], []])
})
