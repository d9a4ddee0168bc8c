import { type ReactNode, useId } from 'react'
import { Boundary } from './boundary.tsx'
import css from './section.module.css'

interface SectionProps {
  readonly title: string
  /** A sentence below the heading. */
  readonly lead?: ReactNode
  /** Beside the heading: a badge or a small button. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A part of a page with a heading and a frame. */
export function Section({ title, lead, aside, children }: SectionProps) {
  const id = useId()
  return (
    <section className={css.section} aria-labelledby={id}>
      <div className={css.head}>
        <div>
          <h2 id={id}>{title}</h2>
          {lead && <p className={css.lead}>{lead}</p>}
        </div>
        {aside}
      </div>
      <Boundary part="section">{children}</Boundary>
    </section>
  )
}

/** Names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={css.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={css.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
