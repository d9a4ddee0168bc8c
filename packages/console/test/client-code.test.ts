import { expect, test } from 'vitest'
import { clientCode } from '../src/ui/page.tsx'

test('values in client code are string literals, whatever they contain', () => {
  const value = `x'); alert("1")\n//`
  expect(clientCode`get(${value}, ${'y'})`).toBe(String.raw`get("x'); alert(\"1\")\n//", "y")`)
  expect(clientCode`all()`).toBe('all()')
})
