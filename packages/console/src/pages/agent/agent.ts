import type { AgentDetailsQuery } from './page.generated.ts'

export type Agent = NonNullable<AgentDetailsQuery['agent']>
export type Card = Agent['card']
export type Credential = Agent['credentials']['nodes'][number]
export type Config = AgentDetailsQuery['registryConfig']
