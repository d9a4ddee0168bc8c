import type { ReactNode } from 'react'
import { classes, Link } from '../ui/index.ts'
import { AccountPanel } from './account-panel.tsx'
import css from './account-panel.module.css'
import { type Account, useAccount } from './account.tsx'

interface NeedsAccountProps {
  /** `wallet`: a connected wallet that signs transactions. `session`: signed in, for webhooks. */
  readonly need: 'wallet' | 'session'
  /** Why: "Connect a wallet to manage your agent." */
  readonly why: string
  readonly children: (account: Account) => ReactNode
}

/** The content for an account, or the steps to get one. */
export function NeedsAccount({ need, why, children }: NeedsAccountProps) {
  const account = useAccount()
  const has = need === 'wallet' ? account.signer !== null : account.session !== null
  if (has) return children(account)
  return (
    <section className={classes('card', 'stack', css.box)} aria-label="Your wallet">
      <h2>{why}</h2>
      <AccountPanel />
      <p className="hint">
        New here? <Link href="/start">Get started</Link> leads from a wallet to the first event of your agent.
      </p>
    </section>
  )
}
