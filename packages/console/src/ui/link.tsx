/** A link to a URL that anybody may have written: https only, and the other page learns nothing. */
export function ExternalLink({ href }: { readonly href: string }) {
  if (!/^https:\/\//i.test(href)) return <span>{href}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {href}
    </a>
  )
}

export { Link } from 'wouter'
