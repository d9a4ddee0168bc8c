import { expect, test } from 'vitest'
import { fetchTransactions } from '../../../src/ledger/indexer/fetch/fetch-transactions.ts'
import { registration } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'

const CLEANED_UP = -32001
const NOT_YET_AVAILABLE = -32004

test.each([
  ['the block has them', 'confirmed', undefined, [1, 2]],
  ['a final block is not served: the listing has their order', 'finalized', NOT_YET_AVAILABLE, [0, 1]],
  ['the node has deleted the block', 'confirmed', CLEANED_UP, [0, 1]],
  ['the block may be served later: the read fails', 'confirmed', NOT_YET_AVAILABLE, NOT_YET_AVAILABLE],
] as const)('indexes in the slot: %s', async (_, confirmationStatus, refusal, expected) => {
  const ledger = new ScriptedLedger()
  ledger.send(registration('unlisted'))
  const infos = ['a', 'b'].map((label) => ({
    signature: ledger.send(registration(label)),
    slot: ledger.slot,
    err: null,
    confirmationStatus,
  }))
  if (refusal !== undefined) ledger.refusals.getBlock = refusal
  const found = fetchTransactions(ledger.rpc(), infos, {
    programId: PROGRAM_ID,
    commitment: 'confirmed',
    signal: new AbortController().signal,
  }).then(
    (rows) => rows.ledger_transactions.map((row) => row.transaction_index),
    (error: { code: unknown }) => error.code,
  )
  expect(await found).toEqual(expected)
})

test.each([
  [5, 1, 0],
  [6, 0, 1],
])(
  'a transaction that is listed and missing in %d answers: read %d, dead letters %d',
  async (missing, read, dead) => {
    const ledger = new ScriptedLedger()
    const info = { signature: ledger.send(registration('a')), slot: ledger.slot, err: null }
    const rpc = ledger.rpc()
    let asked = 0
    const settle: typeof rpc.settle = async (calls) =>
      (asked += 1) <= missing ? calls.map(() => null as never) : rpc.settle(calls)
    const rows = await fetchTransactions({ ...rpc, settle }, [{ ...info, confirmationStatus: 'finalized' }], {
      programId: PROGRAM_ID,
      commitment: 'confirmed',
      signal: new AbortController().signal,
    })
    expect([rows.ledger_transactions.length, rows.dead_letters.length]).toEqual([read, dead])
  },
)
