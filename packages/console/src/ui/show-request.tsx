import { useState } from 'react'
import { Boundary } from './boundary.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { lazily } from './lazily.tsx'
import type { RequestOfPage } from './request-codes.tsx'

/** Shows the request of a page. */
export function ShowRequest(request: RequestOfPage) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        API request
      </Button>
      <Dialog title="This page as a request" open={open} onClose={() => setOpen(false)}>
        <Boundary part="small">
          <Codes {...request} />
        </Boundary>
      </Dialog>
    </>
  )
}

const Codes = lazily<RequestOfPage>(
  async () => (await import('./request-codes.tsx')).RequestCodes,
  'Loading the request',
  3,
)
