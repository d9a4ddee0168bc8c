import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { METHODS } from '../src/rpc/methods/index.ts'
import { SUBSCRIPTIONS } from '../src/server/subscriptions.ts'

// The methods of a node of the version that getVersion reports.
const NODE_METHODS = `
  getAccountInfo getBalance getBlock getBlockCommitment getBlockHeight getBlockProduction getBlockTime
  getBlocks getBlocksWithLimit getClusterNodes getEpochInfo getEpochSchedule getFeeForMessage
  getFirstAvailableBlock getGenesisHash getHealth getHighestSnapshotSlot getIdentity
  getInflationGovernor getInflationRate getInflationReward getLargestAccounts getLatestBlockhash
  getLeaderSchedule getMaxRetransmitSlot getMaxShredInsertSlot getMinimumBalanceForRentExemption
  getMultipleAccounts getProgramAccounts getRecentPerformanceSamples getRecentPrioritizationFees
  getSignatureStatuses getSignaturesForAddress getSlot getSlotLeader getSlotLeaders
  getStakeMinimumDelegation getSupply getTokenAccountBalance getTokenAccountsByDelegate
  getTokenAccountsByOwner getTokenLargestAccounts getTokenSupply getTransaction getTransactionCount
  getVersion getVoteAccounts isBlockhashValid minimumLedgerSlot requestAirdrop sendTransaction
  simulateTransaction accountSubscribe blockSubscribe logsSubscribe programSubscribe rootSubscribe
  signatureSubscribe slotSubscribe slotsUpdatesSubscribe voteSubscribe`
  .trim()
  .split(/\s+/)

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [, table = ''] = /\| RPC methods[^\n]*\n([^]*?)\n\n/.exec(readme) ?? []
const rows = table
  .split('\n')
  .slice(1)
  .map((line) => {
    const [, methods = '', comparison = ''] = line.split('|')
    return { methods: [...methods.matchAll(/`(\w+)`/g)].map(([, name = '']) => name), comparison }
  })
const listed = (pattern: RegExp): string[] =>
  rows.filter((row) => pattern.test(row.comparison)).flatMap((row) => row.methods)

it('the table of the README lists every method of a node once', () => {
  expect(listed(/./).toSorted()).toEqual(NODE_METHODS.toSorted())
})

it('the methods that are the same or different exist, and the absent ones do not', () => {
  const implemented = [
    ...Object.keys(METHODS).filter((name) => !name.startsWith('localnet_')),
    ...Object.keys(SUBSCRIPTIONS).map((kind) => `${kind}Subscribe`),
  ]
  expect(listed(/^ (Same|Different: )/).toSorted()).toEqual(implemented.toSorted())
  expect(listed(/^ Absent/).filter((name) => implemented.includes(name))).toEqual([])
})

it('the README names every method of the localnet itself', () => {
  const own = Object.keys(METHODS).filter((name) => name.startsWith('localnet_'))
  for (const name of own) expect(readme).toContain(name)
})
