/** The values of an enum, spelled as they are, each with what it means; the compiler lets none be missed. */
export function enumValues<Value extends string>(
  values: readonly Value[],
  meanings: Readonly<Record<Value, string>>,
): Record<Value, { value: Value; description: string }> {
  return Object.fromEntries(
    values.map((value) => [value, { value, description: meanings[value] }]),
  ) as Record<Value, { value: Value; description: string }>
}
