import type { ComponentProps, FormEvent, ReactNode } from 'react'
import { classes } from '../ui/classes.ts'
import css from './form.module.css'

interface FormProps {
  readonly label: string
  /** The promise is that of checks of the gateway. */
  readonly onSubmit: () => void | Promise<void>
  readonly children: ReactNode
}

/** A form that the page handles. Then the first field with an error gets the focus. */
export function Form({ label, onSubmit, children }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const focus = (): void => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    void Promise.resolve(onSubmit()).then(() => requestAnimationFrame(focus))
  }
  return (
    <form
      className={classes('stack', css.form)}
      aria-label={label}
      autoComplete="off"
      noValidate
      onSubmit={submit}
    >
      {children}
    </form>
  )
}

/** Choices that belong together. */
export function Choices({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className={classes('stack tight', css.choices)}>
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
