import type { ComponentProps, FormEvent, ReactNode } from 'react'
import css from './form.module.css'

interface FormProps {
  readonly label: string
  readonly onSubmit: () => void
  readonly children: ReactNode
}

/** A form that the page handles. The first field with an error gets the focus. */
export function Form({ label, onSubmit, children }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    onSubmit()
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }
  return (
    <form className={css.form} aria-label={label} autoComplete="off" noValidate onSubmit={submit}>
      {children}
    </form>
  )
}

/** Choices that belong together. */
export function Choices({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className={css.choices}>
      <legend>{title}</legend>
      {children}
    </fieldset>
  )
}

interface ChoiceProps extends ComponentProps<'input'> {
  readonly label: string
  readonly hint?: string
}

/** A checkbox, or one of several radio buttons. */
export function Choice({ label, hint, ...input }: ChoiceProps) {
  return (
    <label className={css.choice}>
      <input type="checkbox" {...input} />
      <span>
        {label}
        {hint !== undefined && <p className="note">{hint}</p>}
      </span>
    </label>
  )
}
