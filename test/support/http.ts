export interface JsonResponse<Body> {
  readonly status: number
  readonly body: Body
}

/** Sends JSON, or reads if there is no body. Returns the status and the JSON of the response. */
export async function callJson<Body>(
  url: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<JsonResponse<Body>> {
  const json = { 'content-type': 'application/json', ...headers }
  const request =
    body === undefined ? { headers } : { headers: json, method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(url, request)
  return { status: response.status, body: (await response.json()) as Body }
}

/** The JSON of a resource. */
export const readJson = async <Body>(url: string): Promise<Body> => (await callJson<Body>(url)).body
