import { lexicographicSortSchema } from 'graphql'
import { builder } from './builder.ts'
import { limitRootFields } from './rate-limits.ts'
import './scalars.ts'
import './agent.ts'
import './agent-history.ts'
import './did.ts'
import './stake.ts'
import './health.ts'
import './info.ts'
import './relay.ts'
import './sponsorship.ts'

export const schema = limitRootFields(lexicographicSortSchema(builder.toSchema()))
