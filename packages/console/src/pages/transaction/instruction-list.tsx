import { Address, Badge, classes, Link, Section, withCommas, words } from '../../ui/index.ts'
import type { Described } from './instructions.ts'
import css from './page.module.css'

interface WithInner extends Described {
  /** Those that it invoked, with their depth below it. */
  readonly inner: readonly (Described & { readonly depth: number })[]
}

/** What the transaction asks the programs to do. */
export function InstructionList({ instructions }: { readonly instructions: readonly WithInner[] }) {
  return (
    <Section title="Instructions" aside={<span className="note">{withCommas(instructions.length)}</span>}>
      <ol className="stack divided">
        {instructions.map((each) => (
          <li key={each.number} className="stack tight">
            <InstructionItem instruction={each} />
            {each.inner.length > 0 && (
              <details>
                <summary>
                  {each.inner.length === 1
                    ? '1 inner instruction'
                    : `${each.inner.length} inner instructions`}
                </summary>
                <ol className={classes('stack', css.inner)}>
                  {each.inner.map((invoked) => (
                    <li key={invoked.number} style={{ marginInlineStart: `${invoked.depth - 1}rem` }}>
                      <InstructionItem instruction={invoked} />
                    </li>
                  ))}
                </ol>
              </details>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

function InstructionItem({ instruction }: { readonly instruction: Described }) {
  const { number, title, program, programId, values, accounts } = instruction
  const agent = accounts.find(({ name }) => name === 'agent')
  return (
    <>
      <div className="spread">
        <h3>
          {number}. {title}
        </h3>
        <span className="note">
          {program} <Address value={programId} label="program address" />
        </span>
      </div>
      {values.length > 0 && (
        <dl className={css.values}>
          {values.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {agent !== undefined && (
        <p>
          <Link href={`/agents/${agent.pubkey}`}>Open the agent</Link>
        </p>
      )}
      {accounts.length > 0 && (
        <details>
          <summary>{accounts.length === 1 ? '1 account' : `${accounts.length} accounts`}</summary>
          <ul className={css.values}>
            {accounts.map(({ number: place, name, pubkey, isSigner, isWritable }) => (
              <li key={place}>
                <span>{name === null ? `Account ${place}` : words(name)}</span>
                <Address value={pubkey} label={name === null ? 'account' : words(name).toLowerCase()} />
                <span className="row">
                  {isSigner && <Badge tone="accent">signs</Badge>}
                  {isWritable && <Badge>can change</Badge>}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
