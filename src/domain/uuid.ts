const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a client's value is a lower-case UUID, as all ids of the service are. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}
