const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown }

/** JSON with all digits of each bigint, as in the body of a webhook. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? rawJSON(String(each)) : each,
  )
}
