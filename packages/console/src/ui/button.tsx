import type { ButtonHTMLAttributes } from 'react'
import { Link } from 'wouter'
import { classes } from './classes.ts'
import css from './button.module.css'

type Look = 'plain' | 'primary' | 'danger' | 'quiet'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look
  readonly small?: boolean
  /** Disables the button and tells screen readers why. It keeps the focus. */
  readonly busy?: boolean
}

export function Button({ look = 'plain', small, busy, className, onClick, ...rest }: ButtonProps) {
  const names = classes(css.button, css[look], small && css.small, className)
  const state = busy && { 'aria-busy': true, 'aria-disabled': true }
  return <button type="button" className={names} {...state} {...rest} onClick={busy ? ignore : onClick} />
}

/** Also Enter in a field of the form. */
const ignore = (event: React.MouseEvent): void => event.preventDefault()

interface ButtonLinkProps {
  readonly to: string
  readonly look?: Look
  readonly small?: boolean
  readonly children: React.ReactNode
}

/** A link within the console that looks like a button. */
export function ButtonLink({ to, look = 'plain', small, children }: ButtonLinkProps) {
  return (
    <Link href={to} className={classes(css.button, css[look], small && css.small)}>
      {children}
    </Link>
  )
}
