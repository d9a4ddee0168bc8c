import { Boundary } from './boundary.tsx'
import { DialogButton } from './dialog.tsx'
import { lazily } from './lazy.tsx'
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

/**
 * Client code with values as string literals. They come from the URL, so a link could otherwise put
 * code into an example that people copy.
 */
export function clientCode(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return texts.reduce((code, text, i) => code + JSON.stringify(values[i - 1]) + text)
}
