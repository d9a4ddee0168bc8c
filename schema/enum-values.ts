/** The name of a text in the schema: CREATED_AT for `created_at`. */
export function enumName(text: string): string {
  return text
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll(/[.-]/g, '_')
    .toUpperCase()
}

/**
 * Enum values with their descriptions. The compiler reports a missing description. Services, REST
 * and tools use the texts, and GraphQL clients the names.
 */
export function enumValues<Value extends string>(
  values: readonly Value[],
  descriptions: Readonly<Record<Value, string>>,
): Record<string, { value: Value; description: string }> {
  return Object.fromEntries(
    values.map((value) => [enumName(value), { value, description: descriptions[value] }]),
  )
}
