/**
 * Client code with values as string literals. They come from the URL, so a link could otherwise put
 * code into an example that people copy.
 */
export function clientCode(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return texts.reduce((code, text, i) => code + JSON.stringify(values[i - 1]) + text)
}
