import { useState } from 'react'
import { useQuery } from 'urql'
import { Button, CodeBlock, Dialog, Tabs } from '../../ui/index.ts'
import type { Agent } from './agent.ts'
import { AgentDidDocument } from './page.generated.ts'

/** The data of the page as JSON, to read and to copy. */
export function RawData({ agent }: { readonly agent: Agent }) {
  const [open, setOpen] = useState(false)
  const variables = { did: agent.did }
  const [{ data, error }] = useQuery({ query: AgentDidDocument, variables, pause: !open })
  const document = error?.message ?? (data === undefined ? 'Loading' : print(data.did?.didDocument))
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        Raw data
      </Button>
      <Dialog title="Raw data" open={open} onClose={() => setOpen(false)}>
        <Tabs
          label="Data"
          tabs={[
            { title: 'Agent', content: <CodeBlock code={print(agent)} label="Agent" /> },
            { title: 'DID document', content: <CodeBlock code={document} label="DID document" /> },
          ]}
        />
      </Dialog>
    </>
  )
}

/** Without what the cache adds. */
function print(value: unknown): string {
  const skip = (name: string, each: unknown): unknown => (name === '__typename' ? undefined : each)
  return JSON.stringify(value, skip, 2)
}
