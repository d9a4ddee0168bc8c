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

type QuotaErrors = typeof QUOTA_ERRORS_AT_PREPARE | typeof QUOTA_ERRORS_AT_SUBMIT

/** What it returns, or the code of the error that it throws. */
function codeOf<Value>(run: () => Value): Value | string {
  try {
    return run()
  } catch (error) {
    return (error as { code: string }).code
  }
}

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
  type Given = Partial<SponsorshipUsage> & { cost?: bigint; balance?: bigint }
  const quota =
    (kind: 'registration' | 'transaction', given: Given, errors: QuotaErrors = QUOTA_ERRORS_AT_PREPARE) =>
    () => {
      const { cost = 100n, balance = 10_000n, ...usage } = given
      const all = { ...(kind === 'registration' ? unused : registered), ...usage }
      checkQuota({ ...request, kind }, all, { cost, balance }, limits, errors)
      return 'allowed'
    }
  const check = (...given: Parameters<typeof quota>) => codeOf(quota(...given))

  test.each<[string, Given, Given, string]>([
    ['the uses of the code', {}, { codeUsesLeft: 0 }, 'INVITE_CODE_INVALID'],
    ['an unknown code', {}, { codeUsesLeft: null }, 'INVITE_CODE_INVALID'],
    ['an open registration', {}, { walletRegistration: 'submitted' }, 'REGISTRATION_OPEN'],
    ['an earlier registration', {}, { walletRegistration: 'confirmed' }, 'WALLET_SPONSORED'],
    ['an agent', {}, { agentTier: 'observer' }, 'AGENT_EXISTS'],
    ['signed registrations', { clientCount: 4 }, { clientCount: 5 }, 'SPONSOR_CLIENT_LIMIT'],
    [
      'prepared registrations',
      { clientCount: 2, openCount: 2 },
      { clientCount: 2, openCount: 3 },
      'SPONSOR_CLIENT_LIMIT',
    ],
    ['the budget', { dailyLamports: 900 }, { dailyLamports: 901 }, 'SPONSOR_BUDGET_USED'],
    ['the balance', { balance: 200n }, { balance: 199n }, 'SPONSOR_BALANCE_LOW'],
    [
      'the balance without what is pending',
      { pendingLamports: 300, balance: 500n },
      { pendingLamports: 300, balance: 499n },
      'SPONSOR_BALANCE_LOW',
    ],
  ])('of a registration: %s', (_, within, beyond, code) => {
    expect([check('registration', within), check('registration', beyond)]).toEqual(['allowed', code])
  })

  test.each<[string, Given, Given, string]>([
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
    ['the whole budget', { dailyLamports: 900 }, { dailyLamports: 901 }, 'SPONSOR_BUDGET_USED'],
  ])('of another transaction: %s', (_, within, beyond, code) => {
    expect([check('transaction', within), check('transaction', beyond)]).toEqual(['allowed', code])
  })

  test('has other errors for what others used up before the signature', () => {
    const codes = [
      { codeUsesLeft: 0 },
      { codeUsesLeft: null },
      { dailyLamports: 901 },
      { balance: 199n },
    ].map((given) => check('registration', given, QUOTA_ERRORS_AT_SUBMIT))
    expect(codes).toEqual([
      QUOTA_ERRORS_AT_SUBMIT.codeUsedUp,
      'INVITE_CODE_INVALID',
      QUOTA_ERRORS_AT_SUBMIT.budgetUsed,
      QUOTA_ERRORS_AT_SUBMIT.balanceLow,
    ])
  })

  const prepared = { clientCount: 4, openCount: 1 }
  test.each([
    [
      'a registration that others signed',
      'registration',
      { ...prepared, clientCount: 5, openCount: 2, openRetrySeconds: 7 },
      60,
    ],
    ['a registration that others prepared', 'registration', { ...prepared, openRetrySeconds: 7 }, 7],
    ['a registration that ended in this second', 'registration', { ...prepared, openRetrySeconds: 0 }, 1],
    ['a transaction of the wallet', 'transaction', { walletTransactions: 20 }, 30],
  ] as const)('says when %s no longer counts', (_, kind, usage, seconds) => {
    const attempt = quota(kind, { ...usage, cost: 1n, balance: 1_000n })
    expect(attempt).toThrow(expect.objectContaining({ retryAfterSeconds: seconds }) as Error)
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
  const check = (kind: 'registration' | 'transaction', given: Message) =>
    codeOf(() => checkMessage(given, kind))

  test('costs at most what the policy allows', () => {
    expect(check('registration', message([...budget, call([0, 1])]))).toBe(16_000n)
    const most = [setLimit(transaction.maxComputeUnits), setPrice(BigInt(maxPriorityFee))]
    expect(check('transaction', message([...most, call([1])]))).toBe(25_000n)
    // An assertion of a wallet may read the fee payer.
    expect(check('transaction', message([...most, call([1]), call([0], Buffer.from([5]), 4)]))).toBe(25_000n)
  })

  const [limit, price] = budget as [(typeof budget)[0], (typeof budget)[0]]
  const lookup = { table: WALLET, writable: Buffer.from([0]), readonly: Buffer.from([]) }
  const bytes = (...values: number[]) => call([], Buffer.from(values), 2)
  test.each<[string, Message['instructions'], Partial<Message>?]>([
    ['no keys', [], { staticKeys: [] }],
    ['a lookup table', [...budget, call([0])], { lookups: [lookup] }],
    ['a third signature', [...budget, call([0])], { requiredSignatures: 3 }],
    ['one signature', [...budget, call([0])], { requiredSignatures: 1 }],
    ['no use of the fee payer', [...budget, call([1])]],
    ['the fee payer in another account', [...budget, call([1, 0])]],
    ['the fee payer twice', [...budget, call([0, 0])]],
    ['the fee payer in two instructions', [...budget, call([0]), call([0])]],
    [
      'the fee payer in data, in one of two instructions',
      [...budget, call([0]), call([1], Buffer.from([9, ...pubkeyBytes(FEE_PAYER)]))],
    ],
    ['no unit limit', [price, call([0])]],
    ['no price', [limit, call([0])]],
    ['two unit limits', [limit, limit, call([0])]],
    ['two prices', [price, price, call([0])]],
    ['a third budget instruction', [...budget, bytes(1, 0), call([0])]],
    ['a short unit limit beside another one', [price, bytes(2, 0), call([0])]],
    ['an unknown instruction as long as a unit limit', [price, bytes(4, 0, 0, 0, 0), call([0])]],
  ])('of a registration with %s is refused', (_, instructions, changes) => {
    expect(check('registration', message(instructions, changes))).toBe('TRANSACTION_MISMATCH')
  })

  test.each([
    ['one unit too many', setLimit(registration.maxComputeUnits + 1), price],
    ['a price that is too high', limit, setPrice(BigInt(maxPriorityFee) + 1n)],
  ])('of a registration with %s costs too much', (_, units, fee) => {
    expect(check('registration', message([units, fee, call([0])]))).toBe('SPONSOR_COST_EXCEEDED')
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
