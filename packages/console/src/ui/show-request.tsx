import { useState } from 'react'
import { Boundary } from './boundary.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { useLazy } from './lazy.ts'
import type { RequestOfPage } from './request-codes.tsx'
import { Loading } from './states.tsx'

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

const load = () => import('./request-codes.tsx')

function Codes(request: RequestOfPage) {
  const loaded = useLazy(load)
  return loaded === null ? (
    <Loading rows={3} label="Loading the request" />
  ) : (
    <loaded.RequestCodes {...request} />
  )
}
