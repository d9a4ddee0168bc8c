import type { Caller } from '../src/identity/sessions/session-store.ts'
import { MAX_PER_WALLET } from '../src/webhooks/subscriptions.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { args } from './inputs.ts'
import { nullable, objectType, of, pubkey } from './columns.ts'
import { CONNECTION_ARGS } from './connection.ts'
import { WALLET_POLICY } from './policy.ts'
import { SessionRef } from './session.ts'
import { WebhookConnectionRef, webhookPage } from './webhook.ts'

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
