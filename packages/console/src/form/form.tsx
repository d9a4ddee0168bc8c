import type { FormEvent, ReactNode } from 'react'
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
    <form className={css.form} aria-label={label} noValidate onSubmit={submit}>
      {children}
    </form>
  )
}

export { css as formStyles }
