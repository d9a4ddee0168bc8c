import { useParams } from 'wouter'
import { useSubscription } from 'urql'
import { ButtonLink, clientCode, CodeBlock, Facts, Page, Section } from '../../ui/index.ts'
import { Empty, Loaded, usePolling, useRead } from '../../ui/reads.ts'
import { type Columns, Table } from '../../ui/table.tsx'
import { Address, Amount, formatUnits, plural, withCommas } from '../../ui/values.ts'
import { describeInstruction, InstructionList, type LedgerTransaction, rolesOf } from './instructions.tsx'
import {
  TransactionByIdDocument,
  type TransactionByIdQuery,
  TransactionBySignatureDocument,
  TransactionOnLedgerDocument,
  TransactionProgressDocument,
  TransactionSettingDocument,
} from './page.generated.ts'
import css from './page.module.css'
import { type Prepared, type Shown, StatusSection } from './status.tsx'

const LEAD = 'What the transaction does, what it changed, and how far it is.'
const POLL_MS = 5_000
const EXAMPLE = (id: string): string => clientCode`console.log(await registry.transactions.get(${id}))`

export default function TransactionPage() {
  const { id } = useParams<{ id: string }>()
  // The id of a prepared transaction is a UUID.
  const isId = id.includes('-')
  const request = isId
    ? { query: TransactionByIdDocument, variables: { id } }
    : { query: TransactionBySignatureDocument, variables: { signature: id } }
  const record = useRead<TransactionByIdQuery, object>(request)
  const prepared = record.data?.transaction ?? null
  const signature = isId ? (prepared?.signature ?? '') : id
  const isWaiting = prepared !== null && prepared.slot === null
  const isRead = record.data !== undefined || record.error !== undefined
  const pause = signature === '' || isWaiting || !isRead
  const ledger = useRead({ query: TransactionOnLedgerDocument, variables: { signature }, pause })
  // Its results update the same object in the cache.
  useSubscription({
    query: TransactionProgressDocument,
    variables: { id: prepared?.id ?? '' },
    pause: prepared === null || prepared.final,
  })
  const setting = useRead({ query: TransactionSettingDocument }, { keep: true })
  const landed = ledger.data?.ledgerTransaction ?? null
  const retry = (): void => {
    record.poll()
    if (!pause) ledger.poll()
    if (setting.error !== undefined) setting.poll()
  }
  // Also for a transaction that its wallet sends itself, and where no socket can be opened.
  const isOver = landed?.final === true || (prepared?.final === true && prepared.slot === null)
  usePolling(retry, isOver ? null : POLL_MS)
  const { query: document, variables } = request
  const shownRequest =
    landed === null || prepared !== null
      ? { document, variables, client: EXAMPLE(prepared?.id ?? id) }
      : { document: TransactionOnLedgerDocument, variables: { signature } }
  const program = setting.data?.info.program
  const found = landed ?? prepared
  const isSearched = isRead && (pause || ledger.data !== undefined)
  const error = setting.error ?? (found === null ? (record.error ?? ledger.error) : undefined)
  return (
    <Page title={titleOf(found, program)} lead={LEAD} request={shownRequest}>
      <Loaded
        read={{ error, again: retry }}
        data={found !== null || isSearched ? setting.data : null}
        rows={8}
        label="Loading the transaction"
      >
        {({ info, registryConfig }) =>
          found === null ? (
            <NotFound id={id} />
          ) : (
            <Content {...{ prepared, landed }} program={info.program} usdcMint={registryConfig?.usdcMint} />
          )
        }
      </Loaded>
    </Page>
  )
}

/** What it does: the name of its instruction for the registry. */
function titleOf(transaction: Prepared | LedgerTransaction | null, program: string | undefined): string {
  const main = transaction?.instructions.findLast(({ programId }) => programId === program)
  return main === undefined || program === undefined
    ? 'Transaction'
    : `Transaction: ${describeInstruction(main, 1, program).title.toLowerCase()}`
}

interface ContentProps extends Shown {
  readonly program: string
  readonly usdcMint: string | undefined
}

function Content({ prepared, landed, program, usdcMint }: ContentProps) {
  const instructions = (landed ?? prepared)!.instructions.map((each, i) =>
    describeInstruction(each, i + 1, program),
  )
  const inner = landed?.innerInstructions ?? []
  const tree = instructions.map((each) => ({
    ...each,
    inner: inner
      .filter(({ instruction }) => instruction === each.number)
      .map(({ depth, ...invoked }, i) =>
        Object.assign(describeInstruction(invoked, i + 1, program), { depth }),
      ),
  }))
  const feePayer = landed?.feePayer
  const roles = rolesOf(instructions, program, feePayer)
  const signature = landed?.signature ?? prepared?.signature ?? null
  const slot = landed?.slot ?? prepared?.slot ?? null
  const logs = landed?.logs ?? prepared?.error?.logs ?? null
  return (
    <div className="stack">
      <div className="pair">
        <StatusSection prepared={prepared} landed={landed} />
        <Section title="Details">
          <Facts
            facts={{
              Signature: signature && <Address value={signature} label="signature" />,
              Id: prepared && <Address value={prepared.id} label="id" />,
              Slot: slot === null ? 'Not landed' : withCommas(slot),
              'Network fee': landed && <Amount value={landed.fee} unit="sol" />,
              'Paid by': landed && <Address value={landed.feePayer} label="fee payer" />,
              'Compute units':
                landed && (landed.computeUnits === null ? 'Not known' : withCommas(landed.computeUnits)),
              Sponsored: prepared && (prepared.sponsored ? 'Yes, the service pays' : 'No, the wallet pays'),
            }}
          />
        </Section>
      </div>
      <InstructionList instructions={tree} />
      {landed !== null && <BalancesSection landed={landed} roles={roles} usdcMint={usdcMint} />}
      {logs !== null && (
        <Section title="Logs of the programs">
          {logs.length === 0 ? (
            <p>The programs wrote nothing.</p>
          ) : (
            <CodeBlock code={logs.join('\n')} label="Logs" />
          )}
        </Section>
      )}
    </div>
  )
}

function NotFound({ id }: { readonly id: string }) {
  return (
    <Empty title="Transaction not found">
      <p>
        There is no transaction <Address value={id} label="signature or id" /> here. This page shows
        transactions that this service sent, and successful ones that called the registry program.
        Transactions that were prepared but never sent are kept for one day.
      </p>
      <ButtonLink to="/agents">Show all agents</ButtonLink>
    </Empty>
  )
}

interface BalancesProps {
  readonly landed: LedgerTransaction
  readonly roles: ReadonlyMap<string, string>
  readonly usdcMint: string | undefined
}

type Row = ReturnType<typeof changedRows>[number]

const COLUMNS: Columns<Row> = {
  Account: ({ account, role }) => (
    <span className="lines">
      <span>{role}</span>
      <Address value={account} label="account address" />
    </span>
  ),
  Before: ({ before, decimals, unit }) => amount(before, decimals, unit),
  After: ({ after, decimals, unit }) => amount(after, decimals, unit),
  Change: ({ before, after, decimals, unit }) => (
    <strong className={after > before ? 'good' : 'bad'}>
      {after > before ? '+' : ''}
      {amount(after - before, decimals, unit)}
    </strong>
  ),
}

function BalancesSection({ landed, roles, usdcMint }: BalancesProps) {
  const rows = changedRows(landed, roles, usdcMint)
  const unchanged =
    landed.balances.length - new Set(rows.filter(({ unit }) => unit === 'SOL').map((row) => row.account)).size
  return (
    <Section title="Balances" aside={<span className="note">before and after</span>}>
      <div className={css.balances}>
        <Table
          caption="Balances that changed"
          columns={COLUMNS}
          numbers={['Before', 'After', 'Change']}
          rows={rows}
          keyOf={({ account, unit }) => `${account} ${unit}`}
        />
      </div>
      {unchanged > 0 && (
        <p className="note">The SOL of {plural(unchanged, 'other account')} did not change.</p>
      )}
    </Section>
  )
}

const amount = (value: bigint, decimals: number, unit: string): string =>
  `${formatUnits(value, decimals)} ${unit}`

function changedRows(
  { balances, tokenBalances }: LedgerTransaction,
  roles: BalancesProps['roles'],
  usdcMint: string | undefined,
) {
  const sol = balances.map((each) => ({ ...each, unit: 'SOL', decimals: 9 }))
  const tokens = tokenBalances.map(({ mint, ...each }) => ({
    ...each,
    unit: mint === usdcMint ? 'USDC' : `of token ${mint.slice(0, 5)}…`,
  }))
  return [...tokens, ...sol]
    .map(({ before, after, ...each }) =>
      Object.assign(each, {
        /** What the account is in this transaction. */
        role: roles.get(each.account) ?? 'Account',
        before: BigInt(before),
        after: BigInt(after),
      }),
    )
    .filter(({ before, after }) => before !== after)
}
