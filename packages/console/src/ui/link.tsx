import type { ReactNode } from 'react'

/** A link to a URL that anybody may have written: https only, and the other page learns nothing. */
export function ExternalLink({ href, children }: { readonly href: string; readonly children?: ReactNode }) {
  if (!/^https:\/\//i.test(href)) return <span>{children ?? href}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children ?? href}
    </a>
  )
}

export { Link } from 'wouter'
