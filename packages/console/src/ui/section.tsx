import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { Boundary } from './boundary.tsx'
import { classes } from './classes.ts'
import { Select } from './field.tsx'
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
    <section className={classes('card', 'stack', css.section)} aria-labelledby={id}>
      <div className="spread">
        <div>
          <h2 id={id}>{title}</h2>
          {lead && <p className="hint">{lead}</p>}
        </div>
        {aside}
      </div>
      <Boundary part="section">{children}</Boundary>
    </section>
  )
}

interface ChoiceSectionProps
  extends Omit<SectionProps, 'aside' | 'children'>, Pick<ComponentProps<typeof Select>, 'label' | 'options'> {
  readonly initial: string
  readonly children: (value: string) => ReactNode
}

/** A section whose content depends on a choice beside the heading. */
export function ChoiceSection({ label, options, initial, children, ...rest }: ChoiceSectionProps) {
  const [value, setValue] = useState(initial)
  const select = { label, options, value }
  return (
    <Section
      {...rest}
      aside={<Select {...select} hideLabel onChange={({ target }) => setValue(target.value)} />}
    >
      {children(value)}
    </Section>
  )
}

/** Values by their names. A list, if the names are data. */
export type Values = Readonly<Record<string, ReactNode>> | readonly (readonly [string, ReactNode])[]
const listOf = (values: Values) => (Array.isArray(values) ? values : Object.entries(values))

/** Names and values. A name without a value, which is null or false, is left out. */
export function Facts({ facts }: { readonly facts: Values }) {
  const given = listOf(facts).filter(([, value]) => value !== null && value !== false)
  return (
    <dl className={css.facts}>
      {given.map(([name, value]) => (
        <div key={name} className={css.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A few values that matter most, each below its name. */
export function Figures({ figures }: { readonly figures: Values }) {
  return (
    <dl className={classes('card', css.figures)}>
      {listOf(figures).map(([name, value]) => (
        <div key={name}>
          <dt className="note">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
