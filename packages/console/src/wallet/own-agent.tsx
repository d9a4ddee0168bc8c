import type { ComponentProps, ComponentType } from 'react'
import { useLanded } from '../transaction/use-transaction.tsx'
import { Loaded, useRead } from '../ui/reads.ts'
import type { Service } from '../ui/service.tsx'
import { NeedsAccount } from './needs-account.tsx'
import { OwnAgentDocument, type OwnAgentQuery } from './own-agent.generated.ts'

export type OwnAgent = NonNullable<OwnAgentQuery['agentByOwner']>

/** What a page for owners needs. */
export interface Owner {
  readonly wallet: string
  /** Null if the wallet has none. */
  readonly agent: OwnAgent | null
  readonly service: Service
}

interface WithOwnerProps extends Omit<ComponentProps<typeof NeedsAccount>, 'children'> {
  readonly content: ComponentType<Owner>
}

/** The content for a wallet and its agent, or the steps to connect a wallet. */
export const WithOwner = ({ content, ...needs }: WithOwnerProps) => (
  <NeedsAccount {...needs}>
    {({ address }) => <Owned key={address} wallet={address!} content={content} />}
  </NeedsAccount>
)

function Owned({ wallet, content: Content }: Pick<Owner, 'wallet'> & Pick<WithOwnerProps, 'content'>) {
  const read = useRead({ query: OwnAgentDocument, variables: { owner: wallet } }, { keep: true })
  useLanded(read.again)
  return (
    <Loaded read={read} data={read.data} rows={6} label="Loading your agent">
      {({ agentByOwner, info }) => <Content wallet={wallet} agent={agentByOwner} service={info} />}
    </Loaded>
  )
}
