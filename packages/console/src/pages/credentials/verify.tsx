import { useRef, useState } from 'react'
import { useMutation } from 'urql'
import { readError } from '../../api/errors.ts'
import { Form } from '../../form/form.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { Button, ErrorState, Input, Section, Select, TextArea, withCommas } from '../../ui/index.ts'
import type { OwnAgent } from '../../wallet/own-agent.tsx'
import { VerifyCredentialDocument } from './page.generated.ts'
import { Verdict } from './verdict.tsx'

const SOURCES = [
  { value: 'url', label: 'The URL of a hosted credential' },
  { value: 'text', label: 'Its text (JSON)' },
]
const TEXT_MAX = 65_536

/** The form, and the checks of the last credential. */
export function Verify({ agent }: { readonly agent: OwnAgent }) {
  const [source, setSource] = useState('url')
  const url = useDraft({ url: '' }, (draft) => ({ url: urlProblem(draft.url.trim()) }))
  const text = useDraft({ text: '' }, (draft) => ({ text: textProblem(draft.text) }))
  const [{ data, error, fetching }, verify] = useMutation(VerifyCredentialDocument)
  const given = source === 'url' ? url.draft.url.trim() : text.draft.text
  const [verified, setVerified] = useState<{ source: string; given: string } | null>(null)
  const result = useRef<HTMLDivElement>(null)
  const send = async (): Promise<void> => {
    setVerified({ source, given })
    await verify({
      pda: agent.pda,
      source:
        source === 'url'
          ? { credentialUrl: given }
          : { credential: JSON.parse(given) as Record<string, unknown> },
    })
    result.current?.scrollIntoView({ block: 'nearest' })
  }
  const verdict = data?.verifyCredential
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
          <Button type="submit" look="primary" busy={fetching}>
            {fetching ? 'Verifying' : 'Verify'}
          </Button>
        </Form>
      </Section>
      <div ref={result} aria-live="polite" aria-busy={fetching}>
        {!isCurrent ? null : error !== undefined ? (
          <ErrorState error={readError(error)} />
        ) : verdict !== undefined && !fetching ? (
          <Verdict verdict={verdict} isHosted={source === 'url'} agent={agent} />
        ) : null}
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
