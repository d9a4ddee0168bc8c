declare global {
  interface JSON {
    /** ECMAScript 2025: a value that JSON.stringify writes as this text. */
    rawJSON(text: string): { readonly rawJSON: string }
  }
}

/** An integer that keeps all its digits when it is written as JSON, also beyond 2^53. */
export type ExactInteger = number | { readonly rawJSON: string }

/** From decimal text, as GraphQL's U64 has it. */
export function exactInteger(decimal: string): ExactInteger {
  const number = Number(decimal)
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(BigInt(decimal).toString())
}
