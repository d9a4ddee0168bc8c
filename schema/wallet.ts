import type { WalletBalance } from '../src/transactions/wallets.ts'
import type { ErrorCode } from '../src/domain/errors.ts'
import { builder } from './builder.ts'
import { args, required } from './inputs.ts'
import { pubkey, nullable, objectType, of } from './columns.ts'
import type { Caller } from '../src/identity/sessions/sessions.ts'
import { MAX_PER_WALLET } from '../src/webhooks/subscriptions.ts'
import { AgentRef } from './agent.ts'
import { CONNECTION_ARGS } from './connection.ts'
import { WALLET_POLICY } from './policy.ts'
import { SessionRef } from './session.ts'
import { WebhookConnectionRef, webhookPage } from './webhook.ts'

const WalletBalanceRef = builder.objectRef<WalletBalance>('WalletBalance').implement({
  description: 'What a wallet can spend, as the ledger node reports it.',
  fields: (t) => ({
    lamports: t.field({
      type: 'U64',
      description: 'Lamports: 1 SOL is 1,000,000,000.',
      resolve: ({ lamports }) => String(lamports),
    }),
    usdc: t.field({
      type: 'U64',
      description: 'USDC base units (6 decimals) in the associated token account; 0 without one.',
      resolve: ({ usdc }) => String(usdc),
    }),
  }),
})

const BALANCE_ERRORS: readonly ErrorCode[] = ['INVALID_PUBKEY', 'NOT_READY', 'LEDGER_UNAVAILABLE']

// Both call the ledger node, so they share the limit of `prepare`.
builder.queryField('walletBalance', (t) =>
  t.field({
    extensions: { rateLimit: 'prepare', errors: BALANCE_ERRORS },
    type: WalletBalanceRef,
    nullable: true,
    description: 'The SOL and USDC of a wallet, at confirmed.',
    args: args({ wallet: required(pubkey('Address of the wallet.')) }),
    resolve: (_, { wallet }, { services }) => services.wallets.balance(wallet),
  }),
)

builder.mutationField('fundLocalnetWallet', (t) =>
  t.field({
    extensions: { rateLimit: 'prepare', localnetOnly: true, errors: [...BALANCE_ERRORS, 'LOCALNET_ONLY'] },
    type: WalletBalanceRef,
    description: 'Gives 1 SOL and 5,000 USDC to a wallet, for trying out transactions.',
    args: args({ wallet: required(pubkey('Address of the wallet.')) }),
    resolve: (_, { wallet }, { services }) => services.wallets.fund(wallet),
  }),
)

const ViewerRef = objectType<Caller>('Viewer', 'Who sends the request.', {
  wallet: pubkey('The wallet that signed in.'),
  session: nullable(
    of(SessionRef, 'The session of this request. Null if the wallet signed the request itself.'),
  ),
})

builder.objectFields(ViewerRef, (t) => ({
  agent: t.field({
    type: AgentRef,
    nullable: true,
    description: 'The agent of the wallet. Null if there is none.',
    resolve: ({ wallet }, _args, { services }) => services.agents.findByOwner(wallet),
  }),
  webhooks: t.field({
    extensions: { listSize: MAX_PER_WALLET, errors: ['INVALID_CURSOR'] },
    type: WebhookConnectionRef,
    description: 'The webhooks of the wallet, oldest first. At most 20.',
    args: args(CONNECTION_ARGS),
    resolve: async ({ wallet }, page, { services }) =>
      webhookPage(await services.webhooks.list(wallet), page),
  }),
}))

builder.queryField('viewer', (t) =>
  t.field({
    extensions: WALLET_POLICY,
    type: ViewerRef,
    description: 'The wallet that sends the request, with what belongs to it.',
    resolve: (_, _args, { caller }) => caller(),
  }),
)
