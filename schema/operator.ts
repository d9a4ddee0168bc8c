import { LISTED_CODES, type Operator } from '../src/compose/operators.ts'
import type { DeadLetterKind } from '../src/domain/dead-letters.ts'
import type { SponsorshipState } from '../src/domain/sponsorship.ts'
import { CODE_USES, type InviteCodeRow } from '../src/transactions/invite-codes.ts'
import type { SponsoredRegistration, SponsorshipDay } from '../src/transactions/sponsorship-report.ts'
import type { FailingWebhook } from '../src/webhooks/metrics.ts'
import { builder } from './builder.ts'
import { bool, int, list, nullable, objectType, of, pubkey, safeInt, text, time, u64 } from './columns.ts'
import { enumType } from './enum-values.ts'
import { args, limited, required } from './inputs.ts'
import { UUID_EXAMPLE } from './relay.ts'
import { DisabledReason } from './webhook.ts'

const OPERATOR_POLICY = {
  login: 'operator',
  rateLimit: 'authenticated',
  errors: ['OPERATOR_FORBIDDEN'],
} as const

const SponsorshipDayRef = objectType<SponsorshipDay>('SponsorshipDay', 'What the fee payer paid on a day.', {
  day: text('The day in UTC.', '2026-11-27'),
  registrations: int('Registrations that the fee payer signed, without those that can never land.', 4),
  transactions: int('Other transactions that the fee payer signed, without those that can never land.', 9),
  lamports: u64('What they cost, or can cost where the cost is not known yet.', 14_235_000),
})

const StateRef = enumType<SponsorshipState>('SponsorshipState', 'State of a sponsored transaction.', {
  submitted: 'Signed by the fee payer and sent.',
  confirmed: 'Landed.',
  failed: 'Landed with an error, which cost the network fee.',
  released: 'Can never land.',
})

const RegistrationRef = objectType<SponsoredRegistration>(
  'SponsoredRegistration',
  'A registration that the fee payer signed.',
  {
    wallet: pubkey('Owner of the agent.'),
    agentPda: pubkey('Account of the agent.'),
    state: of(StateRef, 'State of the registration.', 'confirmed'),
    spentLamports: nullable(u64('What it cost. Null while it is not known.', 3_571_520)),
    createdAt: time('When the fee payer signed it.'),
  },
)

type Sponsorship = Awaited<ReturnType<Operator['sponsorship']>>

const SponsorshipRef = objectType<Sponsorship>(
  'OperatorSponsorship',
  'What the fee payer may pay and paid.',
  {
    dailyBudgetLamports: u64('What it may pay in 24 hours.', 1_000_000_000),
    minBalanceLamports: u64('What must stay in its account.', 100_000_000),
    spentLamports: u64('What counts against the daily budget now.', 14_235_000),
    days: list(of(SponsorshipDayRef, 'The last 30 days, the oldest first.'), { listSize: 30 }),
    newest: list(of(RegistrationRef, 'The newest 20 registrations, the newest first.'), { listSize: 20 }),
  },
)

const FailingWebhookRef = objectType<FailingWebhook>(
  'FailingWebhook',
  'A webhook whose receiver fails, or that the service disabled for that.',
  {
    id: text('Identifier of the webhook.', UUID_EXAMPLE),
    wallet: pubkey('Its owner.'),
    host: nullable(text('Host of the receiver.', 'receiver.example.com')),
    failingSince: nullable(time('The first failure since the last success. Null if it did not fail.')),
    pausedUntil: nullable(time('Nothing is sent before this time. Null if it was never paused.')),
    disabledReason: nullable(of(DisabledReason, 'Why the service disabled it. Null otherwise.')),
  },
)

const OutcomeRef = objectType<{ readonly outcome: string; readonly attempts: number }>(
  'AttemptOutcome',
  'Attempts with one outcome.',
  {
    outcome: text('The outcome of an attempt.', 'success'),
    attempts: int('Number of attempts.', 120),
  },
)

type Webhooks = Awaited<ReturnType<Operator['webhooks']>>

const WebhooksRef = builder.objectRef<Webhooks>('OperatorWebhooks').implement({
  description: 'The webhooks and deliveries of all wallets.',
  fields: (t) => ({
    active: t.int({ description: 'Active webhooks.', resolve: (row) => row.subscriptions.active }),
    paused: t.int({
      description: 'Active webhooks to which nothing is sent now, because their receivers fail.',
      resolve: (row) => row.subscriptions.paused,
    }),
    disabled: t.int({
      description: 'Webhooks that the service disabled.',
      resolve: (row) => row.subscriptions.disabled,
    }),
    pending: t.int({
      description: 'Deliveries that wait for their first attempt.',
      resolve: (row) => row.deliveries.pending,
    }),
    retrying: t.int({
      description: 'Deliveries that wait for another attempt.',
      resolve: (row) => row.deliveries.retrying,
    }),
    oldestDueSeconds: t.float({
      nullable: true,
      description:
        'How long the oldest delivery waits that could be sent now, paused webhooks not counted. Null if none waits.',
      resolve: ({ dueAge: { pending, retrying } }) =>
        pending === null && retrying === null ? null : Math.max(pending ?? 0, retrying ?? 0),
    }),
    lastHour: t.field({
      type: [OutcomeRef],
      description: 'Attempts of the last hour by their outcome.',
      extensions: { listSize: 10 },
      resolve: (row) => Object.entries(row.lastHour).map(([outcome, attempts]) => ({ outcome, attempts })),
    }),
    failing: t.field({
      type: [FailingWebhookRef],
      description: 'The 20 webhooks that failed last.',
      extensions: { listSize: 20 },
      resolve: (row) => row.failing,
    }),
  }),
})

const DeadLetterKindRef = enumType<DeadLetterKind>('DeadLetterKind', 'What the indexer could not read.', {
  missing_history: 'The nodes do not have old transactions. They are requested again every minute.',
  missing_transaction: 'No node serves the transaction with its outcome. It is requested again every minute.',
  unreadable_transaction:
    'The node refuses the transaction, for example for its version. It is requested again after `retryDeadLetter`.',
  unknown_event: 'An event that the IDL does not have.',
  undecodable_event: 'An event that does not have the form of the IDL.',
  unknown_account: 'An account that the IDL does not have.',
  undecodable_account: 'An account that does not have the form of the IDL.',
})

type DeadLetter = Awaited<ReturnType<Operator['deadLetters']>>[number]

const DeadLetterRef = objectType<DeadLetter>('DeadLetter', 'A record of the ledger that could not be read.', {
  id: text('Identifier of the record.'),
  kind: of(DeadLetterKindRef, 'What could not be read.', 'missing_transaction'),
  reason: text('Why.', 'no node has the transaction'),
  slot: safeInt('Slot of the record.'),
  signature: nullable(text('The transaction. Null for accounts.')),
  account: nullable(pubkey('The account. Null for transactions.')),
  createdAt: time('When it was found.'),
  canRetry: bool('Whether `retryDeadLetter` can help: the data was not read, or the node refused it.'),
  retryRequestedAt: nullable(time('When an operator requested a retry that is not done yet.')),
})

const InviteCodeRef = objectType<InviteCodeRow>('InviteCode', 'A code for sponsored registrations.', {
  id: text('The first ten digits of its hash. The code itself is not stored.', '4f2a90c1de'),
  maxUses: int('Registrations that it allows.', 10),
  uses: int('Registrations that are submitted or landed. Failed ones after the first three count, too.', 3),
  expiresAt: nullable(time('It is not valid after this time. Null: it does not expire.')),
  revokedAt: nullable(time('When it was revoked. Null: it was not.')),
  createdAt: time('When it was created.'),
})

const TrustedIssuerRef = objectType<Awaited<ReturnType<Operator['issuers']>>[number]>(
  'TrustedIssuer',
  'An issuer whose credentials are trusted.',
  {
    did: text('Its DID.', 'did:web:auditor.example'),
    allowedTypes: list(text('The types that it may issue. Empty: every type.'), {
      shown: ['SecurityAuditCredential'],
    }),
    notBefore: nullable(time('Trusted from this time. Null: no limit.')),
    notAfter: nullable(time('Trusted until this time. Null: no limit.')),
    enabled: bool('Whether it is trusted now.'),
  },
)

const OperatorRef = builder.objectRef<Operator>('Operator').implement({
  description: 'What only the operator of the service may read.',
  fields: (t) => ({
    sponsorship: t.field({
      type: SponsorshipRef,
      description: 'What the fee payer may pay and paid.',
      resolve: (operator) => operator.sponsorship(),
    }),
    webhooks: t.field({
      type: WebhooksRef,
      description: 'The webhooks and deliveries of all wallets.',
      resolve: (operator) => operator.webhooks(),
    }),
    deadLetters: t.field({
      type: [DeadLetterRef],
      description: 'The newest 50 records of the ledger that the indexer could not read, the newest first.',
      extensions: { listSize: 50 },
      resolve: (operator) => operator.deadLetters(),
    }),
    inviteCodes: t.field({
      type: [InviteCodeRef],
      description: `The newest ${LISTED_CODES} invite codes, the oldest of them first.`,
      extensions: { listSize: LISTED_CODES },
      resolve: (operator) => operator.inviteCodes(),
    }),
    issuers: t.field({
      type: [TrustedIssuerRef],
      description: 'All trusted issuers, also disabled ones.',
      extensions: { listSize: 20 },
      resolve: (operator) => operator.issuers(),
    }),
  }),
})

const NewInviteCodeRef = objectType<{ readonly code: string; readonly operator: Operator }>(
  'NewInviteCode',
  'A new invite code.',
  {
    code: text('The code. It is not shown again.', '7KQ4M-X2D9H-0RTVW-P3ZBN'),
    operator: of(OperatorRef, 'What the operator may read, after the change.'),
  },
)

builder.queryField('operator', (t) =>
  t.field({
    extensions: OPERATOR_POLICY,
    type: OperatorRef,
    description: 'What only the operator of the service may read.',
    resolve: (_, _args, { operator }) => operator(),
  }),
)

builder.mutationFields((t) => ({
  createInviteCode: t.field({
    extensions: OPERATOR_POLICY,
    type: NewInviteCodeRef,
    description: 'Creates an invite code. Each registration with it costs the fee payer money.',
    args: args({
      maxUses: limited(int(`Registrations that it allows: 1 to ${CODE_USES.max}. Default: 1.`, 10), {
        minimum: CODE_USES.min,
        maximum: CODE_USES.max,
      }),
      expiresAt: time('It is not valid after this time. Default: it does not expire.'),
    }),
    resolve: async (_, { maxUses, expiresAt }, context) => {
      const operator = context.operator()
      return { code: await operator.createInviteCode(maxUses, expiresAt), operator }
    },
  }),
  revokeInviteCode: t.field({
    extensions: { ...OPERATOR_POLICY, errors: ['OPERATOR_FORBIDDEN', 'INVITE_CODE_NOT_FOUND'] },
    type: OperatorRef,
    description: 'Revokes an invite code. Prepared registrations that were not submitted become invalid.',
    args: args({ id: required(text('The id of the code.', '4f2a90c1de')) }),
    resolve: async (_, { id: code }, context) => {
      const operator = context.operator()
      await operator.revokeInviteCode(code)
      return operator
    },
  }),
  setIssuerEnabled: t.field({
    extensions: { ...OPERATOR_POLICY, errors: ['OPERATOR_FORBIDDEN', 'ISSUER_NOT_FOUND'] },
    type: OperatorRef,
    description:
      'Trusts an issuer of the list, or stops trusting it and keeps its entry. Applies within a second, also to credentials that are listed.',
    args: args({
      did: required(text('The DID of the issuer.', 'did:web:auditor.example')),
      enabled: required(bool('Whether it is trusted.')),
    }),
    resolve: async (_, { did, enabled }, context) => {
      const operator = context.operator()
      await operator.setIssuerEnabled(did, enabled)
      return operator
    },
  }),
  retryDeadLetter: t.field({
    extensions: { ...OPERATOR_POLICY, errors: ['OPERATOR_FORBIDDEN', 'DEAD_LETTER_NOT_FOUND'] },
    type: OperatorRef,
    description:
      'Lets the indexer request a dead letter again, at most every ten seconds. Another call before that changes nothing. If the retry fails, the record stays in the list.',
    args: args({ id: required(text('The id of the dead letter.')) }),
    resolve: async (_, { id: letter }, context) => {
      const operator = context.operator()
      await operator.retryDeadLetter(letter)
      return operator
    },
  }),
}))
