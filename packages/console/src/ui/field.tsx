import { type ComponentProps, type ReactNode, useId } from 'react'
import { words } from './badge.tsx'
import css from './field.module.css'

interface FieldParts {
  readonly label: string
  readonly hint?: ReactNode
  /** What is wrong with the value, and what is allowed. */
  readonly error?: string | null | undefined
  readonly hideLabel?: boolean
}

interface FieldProps<Props> {
  readonly props: Props
  /** The control, between its label and its hint. */
  readonly children: (props: Omit<Props, keyof FieldParts>) => ReactNode
}

function Field<Props extends FieldParts>({ props, children }: FieldProps<Props>) {
  const { label, hint, error, hideLabel, ...rest } = props
  const id = useId()
  const hasError = error !== undefined && error !== null && error !== ''
  const ids = [hint !== undefined && `${id}-hint`, hasError && `${id}-error`].filter(Boolean).join(' ')
  const described = {
    id,
    className: css.control,
    'aria-invalid': hasError,
    'aria-describedby': ids || undefined,
  }
  return (
    <div className={css.field}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : css.label}>
        {label}
      </label>
      {children({ ...described, ...rest })}
      {hint !== undefined && (
        <span id={`${id}-hint`} className="note">
          {hint}
        </span>
      )}
      {hasError && (
        <span id={`${id}-error`} className="note bad" role="alert">
          {error}
        </span>
      )}
    </div>
  )
}

export const Input = (props: FieldParts & ComponentProps<'input'>) => (
  <Field props={props}>{(all) => <input {...all} />}</Field>
)

export const TextArea = (props: FieldParts & ComponentProps<'textarea'>) => (
  <Field props={props}>{(all) => <textarea {...all} />}</Field>
)

/** Values in words, as options of a Select. */
export const optionsOf = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: words(value) }))

/** The last hours. */
export const PERIODS = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last day' },
  { value: '168', label: 'Last week' },
]

interface SelectProps extends FieldParts, Omit<ComponentProps<'select'>, 'children'> {
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** A value that is not one of the options shows the first one. */
export function Select({ options, value, ...rest }: SelectProps) {
  const isKnown = value === undefined || options.some((option) => option.value === value)
  const given = { ...rest, value: isKnown ? value : options[0]?.value }
  return (
    <Field props={given}>
      {(all) => (
        <select {...all}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
