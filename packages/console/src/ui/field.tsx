import { type ComponentProps, type ElementType, type ReactNode, useId } from 'react'
import { words } from './badge.tsx'
import { classes } from './classes.ts'
import css from './field.module.css'

interface FieldParts {
  readonly label: string
  readonly hint?: ReactNode
  /** What is wrong with the value, and what is allowed. */
  readonly error?: string | null | undefined
  readonly hideLabel?: boolean
}

interface FieldProps extends FieldParts {
  readonly control: ElementType
  /** Those of the control. */
  readonly [name: string]: unknown
}

/** A control between its label and its hint. */
function Field({ control: Control, label, hint, error, hideLabel, ...rest }: FieldProps) {
  const id = useId()
  const hasError = error !== undefined && error !== null && error !== ''
  const ids = [hint !== undefined && `${id}-hint`, hasError && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={classes('stack', css.field)}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : css.label}>
        {label}
      </label>
      <Control
        id={id}
        className={css.control}
        aria-invalid={hasError}
        aria-describedby={ids || undefined}
        {...rest}
      />
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

type Props<Control extends ElementType> = FieldParts & ComponentProps<Control>

export const Input = (props: Props<'input'>) => <Field control="input" {...props} />

export const TextArea = (props: Props<'textarea'>) => <Field control="textarea" {...props} />

/** Values in words, as options of a Select. */
export const optionsOf = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: words(value) }))

/** The last hours. */
export const PERIODS = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last day' },
  { value: '168', label: 'Last week' },
]

interface SelectProps extends Omit<Props<'select'>, 'children'> {
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** A value that is not one of the options shows the first one. */
export function Select({ options, value, ...rest }: SelectProps) {
  const isKnown = value === undefined || options.some((option) => option.value === value)
  return (
    <Field control="select" {...rest} value={isKnown ? value : options[0]?.value}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </Field>
  )
}
