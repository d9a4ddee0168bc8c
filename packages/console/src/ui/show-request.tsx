import { Boundary } from './boundary.tsx'
import { DialogButton } from './dialog.tsx'
import { lazily } from './lazily.tsx'
import type { RequestOfPage } from './request-codes.tsx'

/** Shows the request of a page. */
export const ShowRequest = (request: RequestOfPage) => (
  <DialogButton look="quiet" label="API request" title="This page as a request">
    {() => (
      <Boundary part="small">
        <Codes {...request} />
      </Boundary>
    )}
  </DialogButton>
)

const Codes = lazily<RequestOfPage>(
  async () => (await import('./request-codes.tsx')).RequestCodes,
  'Loading the request',
  3,
)
