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

interface Described {
  readonly id: string
  readonly className: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

function Field({
  label,
  hint,
  error,
  hideLabel,
  children,
}: FieldParts & { readonly children: (described: Described) => ReactNode }) {
  const id = useId()
  const hasError = error !== undefined && error !== null && error !== ''
  const ids = [hint !== undefined && `${id}-hint`, hasError && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={css.field}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : css.label}>
        {label}
      </label>
      {children({
        id,
        className: css.control!,
        'aria-invalid': hasError,
        'aria-describedby': ids === '' ? undefined : ids,
      })}
      {hint !== undefined && (
        <span id={`${id}-hint`} className={css.hint}>
          {hint}
        </span>
      )}
      {hasError && (
        <span id={`${id}-error`} className={css.error} role="alert">
          {error}
        </span>
      )}
    </div>
  )
}

export function Input({ label, hint, error, hideLabel, ...rest }: FieldParts & ComponentProps<'input'>) {
  return (
    <Field {...{ label, hint, error, hideLabel }}>{(described) => <input {...described} {...rest} />}</Field>
  )
}

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  ...rest
}: FieldParts & ComponentProps<'textarea'>) {
  return (
    <Field {...{ label, hint, error, hideLabel }}>
      {(described) => <textarea {...described} {...rest} />}
    </Field>
  )
}

/** Values in words, as options of a Select. */
export const optionsOf = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: words(value) }))

interface SelectProps extends FieldParts, Omit<ComponentProps<'select'>, 'children'> {
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** A value that is not one of the options shows the first one. */
export function Select({ label, hint, error, hideLabel, options, value, ...rest }: SelectProps) {
  const isKnown = value === undefined || options.some((option) => option.value === value)
  return (
    <Field {...{ label, hint, error, hideLabel }}>
      {(described) => (
        <select {...described} {...rest} value={isKnown ? value : options[0]?.value}>
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
