import type { ButtonHTMLAttributes } from 'react'
import { Link } from 'wouter'
import { classes } from './classes.ts'
import css from './button.module.css'

type Look = 'plain' | 'primary' | 'danger' | 'quiet'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look
  readonly small?: boolean
  /** Disables the button and tells screen readers why. */
  readonly busy?: boolean
}

export function Button({ look = 'plain', small, busy, className, disabled, ...rest }: ButtonProps) {
  const names = classes(css.button, css[look], small && css.small, className)
  return <button type="button" className={names} disabled={disabled || busy} aria-busy={busy} {...rest} />
}

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
