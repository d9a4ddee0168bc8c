import { Address, Badge, Facts, plural, words } from '../ui/index.ts'

interface InstructionAccount {
  readonly pubkey: string
  /** Null if it is not known. */
  readonly name: string | null
  readonly isSigner: boolean
  readonly isWritable: boolean
}

export interface InstructionProps {
  /** What it does, such as "Register agent". */
  readonly title: string
  /** The name of a known one. */
  readonly program: string | null
  readonly programId: string
  readonly values: readonly (readonly [name: string, value: string])[]
  readonly accounts: readonly InstructionAccount[]
}

/** An instruction in words, with its arguments and accounts. */
export function Instruction({ title, program, programId, values, accounts }: InstructionProps) {
  return (
    <>
      <div className="spread">
        <h3>{title}</h3>
        <span className="note">
          {program} <Address value={programId} label="program address" />
        </span>
      </div>
      {values.length > 0 && <Facts facts={values} />}
      {accounts.length > 0 && (
        <details>
          <summary>{plural(accounts.length, 'account')}</summary>
          <Facts facts={accounts.map(factOf)} />
        </details>
      )}
    </>
  )
}

function factOf({ name, pubkey, isSigner, isWritable }: InstructionAccount, i: number) {
  const title = name === null ? `Account ${i + 1}` : words(name)
  const value = (
    <span className="row">
      {isSigner && <Badge tone="accent">signs</Badge>}
      {isWritable && <Badge>can change</Badge>}
      <Address value={pubkey} label={name === null ? 'account' : title.toLowerCase()} />
    </span>
  )
  return [title, value] as const
}
