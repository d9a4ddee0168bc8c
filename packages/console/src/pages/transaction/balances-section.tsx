import { Address, type Columns, formatUnits, Section, Table } from '../../ui/index.ts'
import type { LedgerTransaction } from './instructions.ts'
import css from './page.module.css'

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

/** SOL and tokens of each account that changed. */
export function BalancesSection({ landed, roles, usdcMint }: BalancesProps) {
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
        <p className="note">
          The SOL of {unchanged === 1 ? '1 other account' : `${unchanged} other accounts`} did not change.
        </p>
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
