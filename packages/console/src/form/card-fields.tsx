import { type ChangeEvent, useState } from 'react'
import { Input } from '../ui/index.ts'
import type { DraftField } from './use-draft.ts'

interface CardFieldsProps {
  readonly url: DraftField
  readonly hash: DraftField
  readonly onHash: (hash: string) => void
}

/** The address of an agent card and its hash, which is computed from the file in this page. */
export function CardFields({ url, hash, onHash }: CardFieldsProps) {
  const [file, setFile] = useState<string | null>(null)
  const read = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [chosen] = target.files ?? []
    if (chosen === undefined) return
    onHash(await sha256Hex(await chosen.arrayBuffer()))
    setFile(chosen.name)
  }
  return (
    <>
      <Input
        label="Card URL"
        inputMode="url"
        placeholder="https://example.org/.well-known/agent-card.json"
        hint="Where you publish the agent card. https, ipfs, ar or did; up to 200 bytes."
        {...url}
      />
      <Input
        label="Card file"
        type="file"
        accept=".json,application/json"
        hint="The file that you publish at this URL. Only its hash is used; the file is not uploaded."
        onChange={(event) => void read(event)}
      />
      <Input
        label="Card hash (SHA-256)"
        spellCheck="false"
        placeholder="64 hex digits"
        hint={file === null ? 'Choose the file above, or paste its hash.' : `Computed from ${file}.`}
        {...hash}
        onChange={({ target }) => {
          setFile(null)
          onHash(target.value.trim())
        }}
      />
    </>
  )
}

export async function sha256Hex(bytes: BufferSource): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
