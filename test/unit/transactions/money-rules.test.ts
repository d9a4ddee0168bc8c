import { COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE_PROGRAM, type Message, pubkeyBytes } from '@agent-registry/solana'
import { describe, expect, test } from 'vitest'
import { checkMessage } from '../../../src/transactions/check-sponsored.ts'
import {
  checkQuota,
  QUOTA_ERRORS_AT_PREPARE,
  type SponsorshipUsage,
  QUOTA_ERRORS_AT_SUBMIT,
} from '../../../src/transactions/quota.ts'
import { maxCost, networkFee, SPONSOR_POLICY } from '../../../src/transactions/sponsor-policy.ts'
import { inviteCodeHash, newInviteCode } from '../../../src/transactions/invite-codes.ts'
import { keyOf } from '../../support/factories.ts'

const [FEE_PAYER, WALLET, REGISTRY] = [keyOf('fee payer'), keyOf('wallet'), keyOf('registry')]

describe('the quota', () => {
  const limits = {
    dailyBudget: 1_000n,
    minBalance: 100n,
    dailyRegistrationsPerClient: 5,
    dailyTransactionsPerWallet: 20,
    dailyTransactionsPerClient: 100,
  }
  const unused: SponsorshipUsage = {
    codeUsesLeft: 1,
    walletRegistration: null,
    agentTier: null,
    clientCount: 0,
    clientRetrySeconds: 60,
    openCount: 0,
    openRetrySeconds: null,
    walletTransactions: 0,
    walletRetrySeconds: 30,
    dailyLamports: 0,
    dailyTransactionLamports: 0,
    pendingLamports: 0,
  }
  const registered: SponsorshipUsage = { ...unused, walletRegistration: 'confirmed' }
  const request = { wallet: WALLET, agentPda: keyOf('agent'), codeHash: null, clientNetwork: '192.0.2.1' }
  const check = (
    kind: 'registration' | 'transaction',
    usage: SponsorshipUsage,
    funds: { cost?: bigint; balance?: bigint } = {},
    errors: typeof QUOTA_ERRORS_AT_PREPARE | typeof QUOTA_ERRORS_AT_SUBMIT = QUOTA_ERRORS_AT_PREPARE,
  ) => {
    try {
      checkQuota({ ...request, kind }, usage, { cost: 100n, balance: 10_000n, ...funds }, limits, errors)
      return 'allowed'
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  test.each<[string, Partial<SponsorshipUsage>, object, Partial<SponsorshipUsage>, object, string]>([
    ['the uses of the code', {}, {}, { codeUsesLeft: 0 }, {}, 'INVITE_CODE_INVALID'],
    ['an unknown code', {}, {}, { codeUsesLeft: null }, {}, 'INVITE_CODE_INVALID'],
    ['an open registration', {}, {}, { walletRegistration: 'submitted' }, {}, 'REGISTRATION_OPEN'],
    ['an earlier registration', {}, {}, { walletRegistration: 'confirmed' }, {}, 'WALLET_SPONSORED'],
    ['an agent', {}, {}, { agentTier: 'observer' }, {}, 'AGENT_EXISTS'],
    ['signed registrations', { clientCount: 4 }, {}, { clientCount: 5 }, {}, 'SPONSOR_CLIENT_LIMIT'],
    [
      'prepared registrations',
      { clientCount: 2, openCount: 2 },
      {},
      { clientCount: 2, openCount: 3 },
      {},
      'SPONSOR_CLIENT_LIMIT',
    ],
    ['the budget', { dailyLamports: 900 }, {}, { dailyLamports: 901 }, {}, 'SPONSOR_BUDGET_USED'],
    ['the balance', {}, { balance: 200n }, {}, { balance: 199n }, 'SPONSOR_BALANCE_LOW'],
    [
      'the balance without what is pending',
      { pendingLamports: 300 },
      { balance: 500n },
      { pendingLamports: 300 },
      { balance: 499n },
      'SPONSOR_BALANCE_LOW',
    ],
  ])('of a registration: %s', (_, within, withinFunds, beyond, beyondFunds, code) => {
    expect(check('registration', { ...unused, ...within }, withinFunds)).toBe('allowed')
    expect(check('registration', { ...unused, ...beyond }, beyondFunds)).toBe(code)
  })

  test.each<[string, Partial<SponsorshipUsage>, Partial<SponsorshipUsage>, string]>([
    ['no registration', {}, { walletRegistration: 'submitted' }, 'AGENT_NOT_SPONSORED'],
    [
      'no stake',
      { walletRegistration: null, agentTier: 'premium' },
      { walletRegistration: null, agentTier: 'observer' },
      'AGENT_NOT_SPONSORED',
    ],
    ['the wallet', { walletTransactions: 19 }, { walletTransactions: 20 }, 'SPONSOR_WALLET_LIMIT'],
    ['the client', { clientCount: 99 }, { clientCount: 100 }, 'SPONSOR_CLIENT_TRANSACTION_LIMIT'],
    [
      'the half of the budget',
      { dailyTransactionLamports: 400, dailyLamports: 400 },
      { dailyTransactionLamports: 401, dailyLamports: 401 },
      'SPONSOR_BUDGET_USED',
    ],
    [
      'the whole budget',
      { dailyTransactionLamports: 0, dailyLamports: 900 },
      { dailyTransactionLamports: 0, dailyLamports: 901 },
      'SPONSOR_BUDGET_USED',
    ],
  ])('of another transaction: %s', (_, within, beyond, code) => {
    expect(check('transaction', { ...registered, ...within })).toBe('allowed')
    expect(check('transaction', { ...registered, ...beyond })).toBe(code)
  })

  test('has other errors for what others used up before the signature', () => {
    const codes = [
      check('registration', { ...unused, codeUsesLeft: 0 }, {}, QUOTA_ERRORS_AT_SUBMIT),
      check('registration', { ...unused, codeUsesLeft: null }, {}, QUOTA_ERRORS_AT_SUBMIT),
      check('registration', { ...unused, dailyLamports: 901 }, {}, QUOTA_ERRORS_AT_SUBMIT),
      check('registration', unused, { balance: 199n }, QUOTA_ERRORS_AT_SUBMIT),
    ]
    expect(codes).toEqual([
      QUOTA_ERRORS_AT_SUBMIT.codeUsedUp,
      'INVITE_CODE_INVALID',
      QUOTA_ERRORS_AT_SUBMIT.budgetUsed,
      QUOTA_ERRORS_AT_SUBMIT.balanceLow,
    ])
  })

  test.each([
    ['signed', { clientCount: 5, openCount: 2, openRetrySeconds: 7 }, 60],
    ['prepared', { clientCount: 4, openCount: 1, openRetrySeconds: 7 }, 7],
    ['ended in this second', { clientCount: 4, openCount: 1, openRetrySeconds: 0 }, 1],
  ])('says when a registration that others of the network %s no longer counts', (_, usage, seconds) => {
    const attempt = () =>
      checkQuota(
        { ...request, kind: 'registration' },
        { ...unused, ...usage },
        { cost: 1n, balance: 1_000n },
        limits,
        QUOTA_ERRORS_AT_PREPARE,
      )
    expect(attempt).toThrow(expect.objectContaining({ retryAfterSeconds: seconds }) as Error)
  })

  test('says when a transaction of the wallet no longer counts', () => {
    const attempt = () =>
      checkQuota(
        { ...request, kind: 'transaction' },
        { ...registered, walletTransactions: 20 },
        { cost: 1n, balance: 1_000n },
        limits,
        QUOTA_ERRORS_AT_PREPARE,
      )
    expect(attempt).toThrow(expect.objectContaining({ retryAfterSeconds: 30 }) as Error)
  })
})

describe('the costs', () => {
  test.each([
    [2, 0, 0n, 10_000n],
    [1, 1_000_000, 1n, 5_001n],
    [1, 1_000_001, 1n, 5_002n],
    [2, 60_000, 100_000n, 16_000n],
  ])('%d signatures, %d units at %d micro-lamports cost %d lamports', (signatures, units, price, fee) => {
    expect(networkFee(signatures, units, price)).toBe(fee)
  })

  test('are rent and fee for a registration, and the fee for another transaction', () => {
    expect([maxCost('registration', 1_000n), maxCost('transaction', 1_000n)]).toEqual([17_000n, 25_000n])
  })
})

describe('the final message', () => {
  const setLimit = (units: number) => {
    const data = Buffer.from([2, 0, 0, 0, 0])
    data.writeUInt32LE(units, 1)
    return { programIdIndex: 2, accounts: Buffer.from([]), data }
  }
  const setPrice = (price: bigint) => {
    const data = Buffer.alloc(9, 3)
    data.writeBigUInt64LE(price, 1)
    return { programIdIndex: 2, accounts: Buffer.from([]), data }
  }
  const call = (accounts: number[], data: Buffer = Buffer.from([1]), programIdIndex = 3) => ({
    programIdIndex,
    accounts: Buffer.from(accounts),
    data,
  })
  const message = (instructions: Message['instructions'], changes: Partial<Message> = {}): Message => ({
    version: 0,
    requiredSignatures: 2,
    readonlySigned: 0,
    readonlyUnsigned: 0,
    staticKeys: [FEE_PAYER, WALLET, COMPUTE_BUDGET_PROGRAM, REGISTRY, LIGHTHOUSE_PROGRAM],
    blockhash: WALLET,
    instructions,
    lookups: [],
    config: null,
    ...changes,
  })
  const { registration, transaction, maxPriorityFee } = SPONSOR_POLICY
  const budget = [setLimit(registration.maxComputeUnits), setPrice(BigInt(maxPriorityFee))]
  const check = (kind: 'registration' | 'transaction', given: Message) => {
    try {
      return checkMessage(given, kind)
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  test('costs at most what the policy allows', () => {
    expect(check('registration', message([...budget, call([0, 1])]))).toBe(16_000n)
    const most = [setLimit(transaction.maxComputeUnits), setPrice(BigInt(maxPriorityFee))]
    expect(check('transaction', message([...most, call([1])]))).toBe(25_000n)
    // An assertion of a wallet may read the fee payer.
    expect(check('transaction', message([...most, call([1]), call([0], Buffer.from([5]), 4)]))).toBe(25_000n)
  })

  const [limit, price] = budget as [(typeof budget)[0], (typeof budget)[0]]
  const lookup = { table: WALLET, writable: Buffer.from([0]), readonly: Buffer.from([]) }
  test.each<[string, Message, string]>([
    ['no keys', message([], { staticKeys: [] }), 'TRANSACTION_MISMATCH'],
    ['a lookup table', message([...budget, call([0])], { lookups: [lookup] }), 'TRANSACTION_MISMATCH'],
    ['a third signature', message([...budget, call([0])], { requiredSignatures: 3 }), 'TRANSACTION_MISMATCH'],
    ['one signature', message([...budget, call([0])], { requiredSignatures: 1 }), 'TRANSACTION_MISMATCH'],
    ['no use of the fee payer', message([...budget, call([1])]), 'TRANSACTION_MISMATCH'],
    ['the fee payer in another account', message([...budget, call([1, 0])]), 'TRANSACTION_MISMATCH'],
    ['the fee payer twice', message([...budget, call([0, 0])]), 'TRANSACTION_MISMATCH'],
    ['the fee payer in two instructions', message([...budget, call([0]), call([0])]), 'TRANSACTION_MISMATCH'],
    [
      'the fee payer in data, in one of two instructions',
      message([
        ...budget,
        call([0]),
        call([1], Buffer.concat([Buffer.from([9]), Buffer.from(pubkeyBytes(FEE_PAYER))])),
      ]),
      'TRANSACTION_MISMATCH',
    ],
    ['no unit limit', message([price, call([0])]), 'TRANSACTION_MISMATCH'],
    ['no price', message([limit, call([0])]), 'TRANSACTION_MISMATCH'],
    ['two unit limits', message([limit, limit, call([0])]), 'TRANSACTION_MISMATCH'],
    ['two prices', message([price, price, call([0])]), 'TRANSACTION_MISMATCH'],
    [
      'a third budget instruction',
      message([...budget, call([], Buffer.from([1, 0]), 2), call([0])]),
      'TRANSACTION_MISMATCH',
    ],
    [
      'a short unit limit beside another one',
      message([price, call([], Buffer.from([2, 0]), 2), call([0])]),
      'TRANSACTION_MISMATCH',
    ],
    [
      'an unknown instruction as long as a unit limit',
      message([price, call([], Buffer.from([4, 0, 0, 0, 0]), 2), call([0])]),
      'TRANSACTION_MISMATCH',
    ],
    [
      'one unit too many',
      message([setLimit(registration.maxComputeUnits + 1), price, call([0])]),
      'SPONSOR_COST_EXCEEDED',
    ],
    [
      'a price that is too high',
      message([limit, setPrice(BigInt(maxPriorityFee) + 1n), call([0])]),
      'SPONSOR_COST_EXCEEDED',
    ],
  ])('of a registration with %s is refused', (_, given, code) => {
    expect(check('registration', given)).toBe(code)
  })

  test('of another transaction must not use the fee payer', () => {
    expect(check('transaction', message([...budget, call([1, 0])]))).toBe('TRANSACTION_MISMATCH')
  })
})

describe('an invite code', () => {
  test('is read with spaces, hyphens, lower case and similar characters, up to 64 characters', () => {
    const hash = inviteCodeHash('01234-56789-01ABC-DEFGH')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(inviteCodeHash('olZ34'.replace('Z', '2') + ' 56789 oIabc defgh')).toBe(hash)
    expect(inviteCodeHash('01234-56789-01ABC-DEFGH'.padEnd(64))).toBe(hash)
    expect(inviteCodeHash('01234-56789-01ABC-DEFGH'.padEnd(65))).toBeNull()
  })

  test.each([
    '',
    '0123456789012345678',
    '012345678901234567890',
    '0123456789012345678U',
    '0123456789012345678!',
  ])('is not %j', (text) => expect(inviteCodeHash(text)).toBeNull())

  test('that is new is one, and no other one', () => {
    const codes = Array.from({ length: 200 }, newInviteCode)
    for (const code of codes) {
      expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/)
      expect(inviteCodeHash(code)).not.toBeNull()
    }
    expect(new Set(codes).size).toBe(200)
  })
})
