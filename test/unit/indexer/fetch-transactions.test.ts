import { expect, test } from 'vitest'
import { fetchTransactions } from '../../../src/ledger/indexer/fetch/fetch-transactions.ts'
import type { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { registration } from '../../support/indexer/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/indexer/scripted-ledger.ts'

const CLEANED_UP = -32001
const NOT_YET_AVAILABLE = -32004

test.each([
  ['the block has them', 'confirmed', undefined, [1, 2]],
  ['a final block is not served: the listing has their order', 'finalized', NOT_YET_AVAILABLE, [0, 1]],
  ['the node has deleted the block', 'confirmed', CLEANED_UP, [0, 1]],
  ['the block may be served later: the read fails', 'confirmed', NOT_YET_AVAILABLE, NOT_YET_AVAILABLE],
] as const)('indexes in the slot: %s', async (_, confirmationStatus, refusal, outcome) => {
  const ledger = new ScriptedLedger()
  ledger.send(registration('unlisted'))
  const infos = ['a', 'b'].map((label) => ({
    signature: ledger.send(registration(label)),
    slot: ledger.slot,
    err: null,
    confirmationStatus,
  }))
  if (refusal !== undefined) ledger.refusals.getBlock = refusal
  const options = { programId: PROGRAM_ID, commitment: 'confirmed', signal: new AbortController().signal }
  const indexes = fetchTransactions(ledger.rpc(), infos, options).then(
    (rows) => rows.ledger_transactions.map((row) => row.transaction_index),
    (error: LedgerRpcError) => error.code,
  )
  expect(await indexes).toEqual(outcome)
})
