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

/** A part of a page with a heading. */
export function Section({
  title,
  lead,
  children,
}: {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className={css.section} aria-label={title}>
      <div>
        <h2>{title}</h2>
        {lead && <p className={css.lead}>{lead}</p>}
      </div>
      {children}
    </section>
  )
}

export { css as formStyles }
