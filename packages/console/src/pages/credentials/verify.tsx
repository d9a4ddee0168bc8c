import { useState } from 'react'
import { Form } from '../../form/form.tsx'
import { useAction } from '../../form/use-action.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { Button, Input, Section, Select, TextArea, withCommas } from '../../ui/index.ts'
import type { OwnAgent } from '../../wallet/own-agent.tsx'
import { VerifyCredentialDocument } from './page.generated.ts'
import { Verdict } from './verdict.tsx'

const SOURCES = [
  { value: 'url', label: 'The URL of a hosted credential' },
  { value: 'text', label: 'Its text (JSON)' },
]
const TEXT_MAX = 65_536

const show = (result: HTMLElement | null): void => result?.scrollIntoView({ block: 'nearest' })

/** The form, and the checks of the last credential. */
export function Verify({ agent }: { readonly agent: OwnAgent }) {
  const [source, setSource] = useState('url')
  const url = useDraft({ url: '' }, (draft) => ({ url: urlProblem(draft.url.trim()) }))
  const text = useDraft({ text: '' }, (draft) => ({ text: textProblem(draft.text) }))
  const { busy, done, problem, run } = useAction()
  const given = source === 'url' ? url.draft.url.trim() : text.draft.text
  const [verified, setVerified] = useState<{ source: string; given: string } | null>(null)
  const send = (): void => {
    setVerified({ source, given })
    const isHosted = source === 'url'
    const document = isHosted ? { credentialUrl: given } : { credential: JSON.parse(given) as object }
    run(VerifyCredentialDocument, { pda: agent.pda, source: document }, ({ verifyCredential }) => (
      <Verdict verdict={verifyCredential} isHosted={isHosted} agent={agent} />
    ))
  }
  // A verdict is about what was verified, not about what was entered since.
  const isCurrent = verified?.source === source && verified.given === given
  return (
    <>
      <Section title="The credential">
        <Form label="Verify a credential" onSubmit={() => (source === 'url' ? url : text).submit(send)}>
          <Select
            label="What do you have?"
            options={SOURCES}
            value={source}
            onChange={({ target }) => setSource(target.value)}
          />
          {source === 'url' ? (
            <Input
              label="URL of the credential"
              type="url"
              inputMode="url"
              placeholder="https://"
              hint="The service reads it. If it is well formed and about your agent, it is shown on the page of the agent."
              {...url.field('url')}
            />
          ) : (
            <TextArea
              label="Text of the credential"
              rows={12}
              spellCheck="false"
              hint="It is only checked. To show it on the page of your agent, host it and verify its URL."
              {...text.field('text')}
            />
          )}
          <Button type="submit" look="primary" busy={busy}>
            {busy ? 'Verifying' : 'Verify'}
          </Button>
        </Form>
      </Section>
      <div aria-live="polite" aria-busy={busy}>
        {isCurrent && !busy && <div ref={show}>{problem || done}</div>}
      </div>
    </>
  )
}

function urlProblem(url: string): string | null {
  if (url === '') return 'Enter the URL of the credential.'
  return URL.canParse(url) && /^(?:https|ipfs|ar):/.test(url)
    ? null
    : 'The URL must begin with https://, ipfs:// or ar://.'
}

function textProblem(text: string): string | null {
  if (text.trim() === '') return 'Paste the text of the credential.'
  if (text.length > TEXT_MAX) return `The text has more than ${withCommas(TEXT_MAX)} characters.`
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? null : 'The text must be a JSON object: it starts with { and ends with }.'
  } catch (error) {
    return `The text is not JSON: ${(error as Error).message}`
  }
}
