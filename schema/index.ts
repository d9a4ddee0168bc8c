import { specifiedDirectives } from 'graphql'
import { builder } from './builder.ts'
import { policyDirectives } from './directives.ts'
import { applyPolicies } from './policy.ts'
import './scalars.ts'
import './node.ts'
import './agent.ts'
import './agent-card.ts'
import './agent-lookup.ts'
import './agent-history.ts'
import './credential.ts'
import './did.ts'
import './stake.ts'
import './health.ts'
import './ledger.ts'
import './operator.ts'
import './event.ts'
import './live.ts'
import './registry.ts'
import './relay.ts'
import './registry-transactions.ts'
import './session.ts'
import './sponsorship.ts'
import './webhook.ts'
import './webhook-delivery.ts'
import './wallet.ts'

/** Builds a schema with types of its own, in the order of their definition. */
export const buildSchema = () =>
  applyPolicies(
    builder.toSchema({ sortSchema: false, directives: [...specifiedDirectives, ...policyDirectives()] }),
  )

export const schema = buildSchema()
