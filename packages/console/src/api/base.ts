/** The path of the console without a final slash, such as `/console`. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** The gateway, without a final slash. It may be below a path of a proxy. */
export const gatewayUrl = new URL('..', document.baseURI).href.replace(/\/$/, '')

/** The absolute URL of a path of the API, such as `graphql`. */
export function apiUrl(path: string): string {
  return `${gatewayUrl}/${path.replace(/^\//, '')}`
}
