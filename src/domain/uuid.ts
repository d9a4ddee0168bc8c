const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a client's value can be an id of ours: lower-case UUID text. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}
