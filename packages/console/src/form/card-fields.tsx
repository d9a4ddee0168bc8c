import { type ChangeEvent, useState } from 'react'
import { Button, Input, Light, Loaded, Status, useRead } from '../ui/index.ts'
import { CheckAgentCardDocument } from './card.generated.ts'
import { type AgentLimits, schemesOf } from './checks.ts'
import type { DraftField } from './use-draft.ts'

interface CardFieldsProps {
  readonly field: (name: 'url' | 'hash') => DraftField
  readonly limits: AgentLimits
  readonly onHash: (hash: string) => void
}

/** The address of an agent card and its hash, which is computed from the file in this page. */
export function CardFields({ field, limits, onHash }: CardFieldsProps) {
  const [url, hash] = [field('url'), field('hash')]
  const [file, setFile] = useState({ name: '', hash: '' })
  const read = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [chosen] = target.files ?? []
    if (chosen === undefined) return
    const computed = await sha256Hex(await chosen.arrayBuffer())
    // Another file can have been chosen meanwhile.
    if (target.files?.[0] !== chosen) return
    onHash(computed)
    setFile({ name: chosen.name, hash: computed })
  }
  return (
    <>
      <Input
        label="Card URL"
        inputMode="url"
        placeholder="https://example.org/.well-known/agent-card.json"
        hint={`Where you publish the agent card. ${schemesOf(limits)}; up to ${limits.cardUrlBytes} bytes.`}
        {...url}
      />
      <Input
        label="Card file"
        type="file"
        accept=".json,application/json"
        hint="The file that you publish at this URL. Only its hash is used; the file is not uploaded."
        // So that the same file, which was changed, can be chosen again.
        onClick={({ currentTarget }) => (currentTarget.value = '')}
        onChange={(event) => void read(event)}
      />
      <Input
        label="Card hash (SHA-256)"
        spellCheck="false"
        placeholder={`${limits.cardHashDigits} hex digits`}
        hint={
          hash.value === '' || hash.value !== file.hash
            ? 'Choose the file above, or paste its hash.'
            : `Computed from ${file.name}.`
        }
        {...hash}
        onChange={({ target }) => onHash(target.value.trim())}
      />
      <CardCheck url={url.value} hash={hash.value} />
    </>
  )
}

interface CardCheckProps {
  readonly url: string
  readonly hash: string
}

/** The verdict of the gateway, until the URL or the hash changes. */
function CardCheck({ url, hash }: CardCheckProps) {
  const [asked, setAsked] = useState({ about: '', count: 0 })
  const about = `${url} ${hash}`
  return (
    <>
      <Button onClick={() => setAsked({ about, count: asked.count + 1 })}>Check the card</Button>
      {asked.about === about && <Verdict key={asked.count} url={url} hash={hash} />}
    </>
  )
}

function Verdict({ url, hash }: CardCheckProps) {
  const variables = { source: { url }, hash: hash === '' ? null : hash }
  const read = useRead({ query: CheckAgentCardDocument, variables, requestPolicy: 'network-only' })
  return (
    <Loaded read={read} data={read.data?.checkAgentCard} rows={1} label="Checking the card">
      {({ state, reason, hash: hosted, problems }) => (
        <div className="notice" data-tone="neutral" role="status">
          <p className="row">
            <Status value={state} />
            {problems.length > 0 && <Light tone="bad" text="Invalid" />}
          </p>
          <p>
            {reason ??
              `The gateway can fetch the card.${hash === '' ? ' Enter its hash to compare it.' : ''}`}
          </p>
          {state === 'MISMATCHED' && (
            <p>
              The hosted card: <code>{hosted}</code>. You entered: <code>{hash}</code>.
            </p>
          )}
          {problems.length > 0 && <p>Other agents cannot use the card, because it does not follow A2A:</p>}
          <ul>
            {problems.map(({ path, problem }) => (
              <li key={path}>
                {path === '' ? 'The card' : path} {problem}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Loaded>
  )
}

export async function sha256Hex(bytes: BufferSource): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
