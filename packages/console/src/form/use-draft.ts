import { useEffect, useState } from 'react'
import { hasTexts, readValue, storeValue } from '../api/storage.ts'

export interface DraftField {
  readonly value: string
  readonly error: string | null
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void
}

/**
 * What somebody enters into a form. `check` returns what is wrong with each member, which is shown
 * after the first attempt to send it. With a name, the tab keeps it, also after a reload. Then all
 * members are texts.
 */
export function useDraft<Draft extends object>(
  initial: Draft,
  check: (draft: Draft) => { readonly [Name in keyof Draft]?: string | null },
  keptAs?: string,
) {
  const [draft, setDraft] = useState(() => {
    const kept = keptAs === undefined ? null : readValue(keptAs)
    return hasTexts(kept, ...Object.keys(initial)) ? { ...initial, ...kept } : initial
  })
  const [isChecked, setChecked] = useState(false)
  const change = (changes: Partial<Draft>): void => setDraft((now) => ({ ...now, ...changes }))
  useEffect(() => {
    if (keptAs !== undefined && draft !== initial) storeValue(keptAs, draft)
  })
  const found = check(draft)
  const problemOf = (name: keyof Draft): string | null => (isChecked && found[name]) || null
  return {
    draft,
    change,
    isChecked,
    problemOf,
    /** For an Input, a TextArea or a Select. */
    field: (name: keyof Draft): DraftField => ({
      value: String(draft[name]),
      error: problemOf(name),
      onChange: ({ target }) => change({ [name]: target.value } as Partial<Draft>),
    }),
    /** Sends it if nothing is wrong. */
    submit: (send: () => void): void => {
      setChecked(true)
      if (Object.values(found).every((problem) => !problem)) send()
    },
  }
}
