import { Instruction } from '../../transaction/instruction.tsx'
import { classes, Link, Section, withCommas } from '../../ui/index.ts'
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
  const { number, title, accounts } = instruction
  const agent = accounts.find(({ name }) => name === 'agent')
  return (
    <>
      <Instruction {...instruction} title={`${number}. ${title}`} />
      {agent !== undefined && (
        <p>
          <Link href={`/agents/${agent.pubkey}`}>Open the agent</Link>
        </p>
      )}
    </>
  )
}
