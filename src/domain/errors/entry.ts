/** HTTP status and text of an error. `{name}` in the text is replaced from the error's context. */
export interface ErrorEntry {
  readonly status: number
  readonly message: string
}
