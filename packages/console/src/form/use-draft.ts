import { useLayoutEffect, useState } from 'react'
import { hasTexts, readValue, storeValue } from '../api/storage.ts'

export interface DraftField {
  readonly value: string
  readonly error: string | null
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void
}

interface Kept<Draft> {
  /** The name of the draft in this tab. All its members are texts. */
  readonly as: string
  /** What is newer than the draft, such as parameters of a link. */
  readonly over: Partial<Draft>
}

/**
 * What somebody enters into a form. `check` returns what is wrong with each member, which is shown
 * after the first attempt to send it. With `kept`, it is the same after a reload or the way back.
 */
export function useDraft<Draft extends object>(
  initial: Draft,
  check: (draft: Draft) => { readonly [Name in keyof Draft]?: string | null } = () => ({}),
  kept?: Kept<Draft>,
) {
  const [draft, setDraft] = useState<Draft>(() => {
    const stored = kept === undefined ? null : readValue(kept.as)
    const isDraft = hasTexts(stored, ...Object.keys(initial))
    return { ...initial, ...((isDraft ? stored : {}) as Partial<Draft>), ...kept?.over }
  })
  const [isChanged, setChanged] = useState(false)
  const [isChecked, setChecked] = useState(false)
  const keptAs = isChanged ? kept?.as : undefined
  // At once: a dialog may be closed right after the last letter.
  useLayoutEffect(() => {
    if (keptAs !== undefined) storeValue(keptAs, draft)
  }, [keptAs, draft])
  const change = (changes: Partial<Draft>): void => {
    setDraft((now) => ({ ...now, ...changes }))
    setChanged(true)
  }
  const found = check(draft)
  return {
    draft,
    change,
    isChecked,
    /** For an Input, a TextArea or a Select. */
    field: (name: keyof Draft): DraftField => ({
      value: String(draft[name]),
      error: (isChecked && found[name]) || null,
      onChange: ({ target }) => change({ [name]: target.value } as Partial<Draft>),
    }),
    /** Sends it if nothing is wrong. */
    submit: (send: () => void | Promise<void>): void | Promise<void> => {
      setChecked(true)
      if (Object.values(found).every((problem) => !problem)) return send()
    },
  }
}

/** For a draft that was used. */
export const forgetDraft = (name: string): boolean => storeValue(name, null)
