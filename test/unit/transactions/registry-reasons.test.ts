import { Keypair } from '@solana/web3.js'
import { encodeAccount } from '@agent-registry/program'
import {
  associatedTokenAccount,
  type Pubkey,
  pubkeyBytes,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'
import { expect, test } from 'vitest'
import { type FailedCall, REGISTRY_REASONS } from '../../../src/transactions/explain-failure.ts'
import { keyOf, programId } from '../../support/ledger/registry-world.ts'

const [owner, mint, otherMint, ownerToken] = Array.from({ length: 4 }, () => keyOf(Keypair.generate())) as [
  Pubkey,
  Pubkey,
  Pubkey,
  Pubkey,
]
const account = (by: string, data: Uint8Array) =>
  ({ lamports: 1, owner: by, data: [Buffer.from(data).toString('base64'), 'base64'] }) as const

function tokens(of: Pubkey, amount: bigint, state = 1) {
  const data = Buffer.alloc(165)
  data.set(pubkeyBytes(of), 0)
  data.set(pubkeyBytes(owner), 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = state
  return account(TOKEN_PROGRAM, data)
}

const stake = account(
  programId,
  encodeAccount({
    name: 'Stake',
    data: {
      agent: owner,
      owner,
      depositedAmount: 5_000_000n,
      lockedAmount: 1_000_000n,
      pendingWithdrawal: 500_000n,
      bump: 1,
      rentPayer: owner,
    },
  }),
)
const config = account(
  programId,
  encodeAccount({
    name: 'RegistryConfig',
    data: {
      admin: owner,
      usdcMint: mint,
      treasury: owner,
      tierThresholds: [0n, 1n, 2n, 3n],
      cooldownSeconds: 86_400n,
      paused: false,
      bump: 1,
    },
  }),
)

const reason = (error: string, accounts: Record<string, unknown>, more: Partial<FailedCall> = {}) =>
  REGISTRY_REASONS[error]?.({
    args: { amount: 4_000_000n },
    keys: new Map([
      ['owner', owner],
      ['ownerToken', ownerToken],
    ]),
    accounts: new Map(Object.entries(accounts)) as FailedCall['accounts'],
    named: undefined,
    logs: [],
    program: programId,
    ...more,
  })

const NOT_TOKEN = `The account ${ownerToken} is not an account of the SPL Token program.`
test.each([
  ['AccountFrozen', { ownerToken: tokens(mint, 9n, 2) }, `The USDC account ${ownerToken} is frozen.`],
  [
    'InvalidTokenAccount',
    { ownerToken: tokens(otherMint, 9n), config },
    `The token account ${ownerToken} is for the mint ${otherMint}. The registry uses USDC, ${mint}.`,
  ],
  [
    'InsufficientStake',
    { stake },
    'The stake has 3.5 USDC to withdraw (5 USDC deposited, 1 USDC locked), and 4 USDC were requested.',
  ],
  ['StakeNotEmpty', { stake }, 'The stake is not empty: 5 USDC are deposited.'],
  [
    'InvalidTokenAccount',
    { ownerToken: { ...tokens(mint, 9n), owner: TOKEN_2022_PROGRAM }, config },
    NOT_TOKEN,
  ],
  ['InvalidTokenAccount', { ownerToken: account(TOKEN_PROGRAM, Buffer.alloc(82)), config }, NOT_TOKEN],
  [
    'InsufficientFunds',
    { ownerToken: tokens(mint, 3_999_999n) },
    `The wallet ${owner} has 3.999999 USDC, and 4 USDC are needed.`,
  ],
  ['InvalidAccountOwner', { ownerToken: null, config }, `The token account ${ownerToken} does not exist.`],
])('%s has its reason', (error, accounts, text) => {
  expect(reason(error, accounts)).toBe(text)
})

test.each([
  ['InsufficientFunds', { ownerToken: tokens(mint, 4_000_000n) }],
  ['InsufficientStake', { stake: { ...stake, owner: TOKEN_PROGRAM } }],
  ['InvalidTokenAccount', { ownerToken: tokens(mint, 1n), config }],
  ['AccountFrozen', { ownerToken: tokens(mint, 1n) }],
  ['CooldownNotOver', { config }],
  ['WithdrawalPending', {}],
  ['StakeNotEmpty', { stake: account(programId, Buffer.alloc(9, 7)) }],
  ['StakeNotEmpty', { stake: account(programId, Buffer.from(stake.data[0], 'base64').subarray(0, 60)) }],
  ['StakeNotEmpty', { stake: config }],
  ['AgentNotActive', { agent: null }],
])('%s has no reason if the accounts do not show it, as they can have changed', (error, accounts) => {
  expect(reason(error, accounts)).toBeUndefined()
})

test('an account that exists is never reported as missing', () => {
  expect(reason('InvalidAccountOwner', { stake }, { named: 'stake' })).toBeUndefined()
  expect(reason('InvalidAccountOwner', { stake: null }, { named: 'stake' })).toContain('no stake')
})

test('a wallet is told that it has no USDC account only if it is the one of this wallet', () => {
  const own = associatedTokenAccount(owner, mint)
  const keys = (wallet?: Pubkey) => ({
    keys: new Map([['ownerToken', own], ...(wallet ? [['owner', wallet] as const] : [])]),
  })
  const of = (wallet?: Pubkey) => reason('InvalidTokenAccount', { ownerToken: null, config }, keys(wallet))
  expect(of(owner)).toBe(`The wallet ${owner} has no USDC account: ${own} does not exist.`)
  expect(of(otherMint)).toBe(`The token account ${own} does not exist.`)
  expect(of()).toBeUndefined()
})

test('what can be withdrawn is what is neither locked nor in a pending withdrawal', () => {
  const of = (amount?: bigint) => reason('InsufficientStake', { stake }, { args: { amount } })
  expect(of(3_500_001n)).toContain('The stake has 3.5 USDC to withdraw')
  expect(of(3_500_000n)).toBeUndefined()
  expect(of()).toBeUndefined()
})
