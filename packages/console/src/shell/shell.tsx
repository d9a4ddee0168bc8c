import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { useQuery } from 'urql'
import { Link, useLocation } from 'wouter'
import { apiUrl } from '../api/base.ts'
import { type Connection, useConnection } from '../api/connection.ts'
import { readError } from '../api/errors.ts'
import { ConsoleHealthDocument, type ConsoleHealthQuery } from '../api/service.generated.ts'
import { onStored } from '../api/storage.ts'
import { readOperatorToken } from '../api/token.ts'
import { NAVIGATION, OPERATOR } from '../routes.ts'
import { TransactionHost } from '../transaction/use-transaction.tsx'
import { Boundary, Button, classes, Dialog, lazily, usePolling } from '../ui/index.ts'
import { Light, shorten, type Tone } from '../ui/values.ts'
import { useAccount } from '../wallet/account.tsx'
import { PreferenceSwitch } from './preferences.tsx'
import { Search } from './search.tsx'
import css from './shell.module.css'

/** Header, navigation and footer of every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation()
  const isOperator = useSyncExternalStore(onStored, () => readOperatorToken() !== null)
  const [isAccountOpen, setAccountOpen] = useState(false)
  const isCurrent = (to: string): boolean => path === to || (to !== '/' && path.startsWith(`${to}/`))
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#content" onClick={skip}>
        Skip to the content
      </a>
      <header className={css.header}>
        <div className={classes('spread', css.bar)}>
          <Link href="/" className={css.brand}>
            <Logo />
            <span>Agent Registry</span>
          </Link>
          <Boundary part="small">
            <Search openAccount={() => setAccountOpen(true)} />
          </Boundary>
          <div className={classes('row', css.tools)}>
            <Boundary part="small">
              <Health />
            </Boundary>
            <Boundary part="small">
              <AccountButton open={isAccountOpen} setOpen={setAccountOpen} />
            </Boundary>
          </div>
        </div>
        <nav className={css.navigation} aria-label="Main">
          {[...NAVIGATION, ...(isOperator ? [OPERATOR] : [])].map(({ to, title }) => (
            <Link
              key={to}
              href={to}
              className={classes('tab', css.item)}
              {...(isCurrent(to) && { ref: showItem, 'aria-current': 'page' })}
            >
              {title}
            </Link>
          ))}
        </nav>
      </header>
      <Boundary part="small">
        <TransactionHost />
      </Boundary>
      <main id="content" tabIndex={-1} className={css.main}>
        {children}
      </main>
      <footer className={classes('spread', 'note', css.footer)}>
        <span className="row">
          <a href={apiUrl('docs/')}>API reference</a>
          <a href={apiUrl('graphql')}>GraphQL</a>
          <Link href="/health">Service health</Link>
        </span>
        <span className="row">
          <PreferenceSwitch name="density" />
          <PreferenceSwitch name="theme" />
        </span>
      </footer>
    </div>
  )
}

/** On narrow screens the navigation scrolls. The current item must be in view. */
function showItem(item: HTMLElement | null): void {
  // In the next frame, because reading the position now would lay out the page twice.
  requestAnimationFrame(() => item?.parentElement?.scrollTo({ left: item.offsetLeft - 48 }))
}

/** With a <base>, a fragment would lead to the first page. */
function skip(event: React.MouseEvent): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#content')?.focus()
}

/** The state of the service. */
function Health() {
  const [{ data, error, fetching }, refresh] = useQuery({ query: ConsoleHealthDocument })
  const seconds = (error && readError(error).retryAfter) ?? 15
  usePolling(() => fetching || refresh({ requestPolicy: 'network-only' }), seconds * 1_000)
  const [tone, text] = STATES[useConnection()] ?? stateOf(data)
  return (
    <Link href="/health" aria-label={`Service health: ${text}`} title={text}>
      <Light tone={tone} text={<span className={css.healthText}>{text}</span>} />
    </Link>
  )
}

/** Above what the service said about itself before. */
const STATES: Partial<Record<Connection, readonly [tone: Tone, text: string]>> = {
  lost: ['bad', 'Not reachable'],
  busy: ['warn', 'Busy'],
  reconnecting: ['warn', 'Reconnecting'],
}

function stateOf(data: ConsoleHealthQuery | undefined): [tone: Tone, text: string] {
  if (data === undefined) return ['neutral', 'Checking']
  if (!data.readiness.ready) return ['bad', 'Not ready']
  return data.detailedHealth.status === 'HEALTHY' ? ['good', 'Operational'] : ['warn', 'Degraded']
}

/** Connects a wallet, shows the account, signs in and out. */
function AccountButton({
  open,
  setOpen,
}: {
  readonly open: boolean
  readonly setOpen: (next: boolean) => void
}) {
  const { address } = useAccount()
  return (
    <>
      <Button onClick={() => setOpen(true)}>{address === null ? 'Connect wallet' : shorten(address)}</Button>
      {open && (
        <Dialog title={address === null ? 'Connect a wallet' : 'Your wallet'} onClose={() => setOpen(false)}>
          <Panel />
        </Dialog>
      )}
    </>
  )
}

/** Loaded when it is opened: the first page needs no code of wallets. */
const Panel = lazily(
  async () => (await import('../wallet/account-panel.tsx')).AccountPanel,
  'Loading wallets',
  2,
)

function Logo() {
  return (
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="var(--accent)" />
      <path
        d="M7 17 12 7l5 10M9 13.5h6"
        fill="none"
        stroke="var(--accent-text)"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
