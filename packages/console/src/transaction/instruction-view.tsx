import type { DecodedInstruction } from '@agent-registry/client/decode'
import { Address, classes, words } from '../ui/index.ts'
import css from './transaction.module.css'
import { argumentsOf, effectOf } from './words.ts'

interface InstructionViewProps {
  readonly programId: string
  /** Null for an instruction of another program. */
  readonly decoded: DecodedInstruction | null
}

/** The program lists itself among its accounts. */
const isOther = ({ name }: { readonly name: string | null }): boolean => name !== 'program'

/** An instruction in words, with its arguments and accounts. */
export function InstructionView({ programId, decoded }: InstructionViewProps) {
  if (decoded === null)
    return (
      <section className={classes('card', 'stack', css.box)}>
        <h3>An instruction that this page cannot read</h3>
        <p>
          Program <Address value={programId} label="program" />
        </p>
      </section>
    )
  const values = argumentsOf(decoded)
  return (
    <section className={classes('card', 'stack', css.box)} aria-label="What you sign">
      <h3>{effectOf(decoded)}</h3>
      {values.length > 0 && (
        <dl className={css.values}>
          {values.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <details>
        <summary>
          Instruction <code>{decoded.name}</code>, {decoded.accounts.length} accounts
        </summary>
        <dl className={css.values}>
          <div>
            <dt>Program</dt>
            <dd>
              <Address value={programId} label="program" />
            </dd>
          </div>
          {decoded.accounts.filter(isOther).map(({ name, pubkey, isSigner, isWritable }) => (
            <div key={name ?? pubkey}>
              <dt>
                {words(name ?? 'account')}
                <span className="note">
                  {[isSigner && 'signs', isWritable && 'changes'].filter(Boolean).join(', ')}
                </span>
              </dt>
              <dd>
                <Address value={pubkey} label={name ?? 'account'} />
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}
