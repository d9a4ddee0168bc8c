import { type DocumentInput, stringifyDocument } from 'urql'
import { apiUrl, gatewayUrl } from '../api/base.ts'
import { CodeTabs } from './code-block.tsx'

export interface RequestOfPage {
  readonly document: DocumentInput
  readonly variables?: object
  /** Code for `@agent-registry/client`, with `registry` in scope. */
  readonly client?: string
  /** Only a signed-in wallet can send it. */
  readonly needsSession?: boolean
}

/** The request of a page as curl, GraphQL, Python and code of the client. */
export function RequestCodes(request: RequestOfPage) {
  const { document, variables = {}, client, needsSession = false } = request
  const url = apiUrl('graphql')
  const query = queryOf(document)
  const given = JSON.stringify(variables, null, 2)
  const body = JSON.stringify({ query: query.replace(/\s+/g, ' '), variables })
  const session = needsSession ? `\\\n  -H "authorization: Bearer $TOKEN" ` : ''
  const headers = needsSession ? '\n\n# Headers\n# { "authorization": "Bearer TOKEN" }' : ''
  const head = `import { createRegistry } from '@agent-registry/client'\n\nconst registry = createRegistry('${gatewayUrl}')\n`
  const codes = {
    curl: `curl ${url} \\\n  -H 'content-type: application/json' ${session}\\\n  -d '${body.replace(/'/g, "'\\''")}'`,
    GraphQL: `${query}${headers}\n\n# Variables\n${given.replace(/^/gm, '# ')}`,
    Python: pythonOf(body, needsSession),
    ...(client !== undefined && { JavaScript: head + client }),
  }
  return (
    <>
      <CodeTabs label="Language" codes={codes} />
      <p style={{ marginTop: '1rem' }}>
        {/* The session of this tab goes along. */}
        <a href={`${url}?${new URLSearchParams({ query, variables: given })}`} target="_blank" rel="opener">
          Open in GraphiQL
        </a>
      </p>
    </>
  )
}

/** A text of JSON is a text of Python too. */
function pythonOf(body: string, needsSession: boolean): string {
  const session = needsSession ? `, "authorization": "Bearer " + os.environ["TOKEN"]` : ''
  return `import json${needsSession ? ', os' : ''}, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(apiUrl('graphql'))},
    ${JSON.stringify(body)}.encode(),
    {"content-type": "application/json"${session}},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`
}

/** The cache adds __typename to what it asks for. */
const queryOf = (document: DocumentInput): string =>
  stringifyDocument(document)
    .replace(/^\s*__typename\n/gm, '')
    .trim()
