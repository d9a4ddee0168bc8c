/** Enum values with their descriptions. The compiler reports a missing description. */
export function enumValues<Value extends string>(
  values: readonly Value[],
  descriptions: Readonly<Record<Value, string>>,
): Record<Value, { value: Value; description: string }> {
  return Object.fromEntries(
    values.map((value) => [value, { value, description: descriptions[value] }]),
  ) as Record<Value, { value: Value; description: string }>
}
