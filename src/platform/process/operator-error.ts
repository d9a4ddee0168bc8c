/** What keeps the process from doing its work and an operator can mend: the message says all, no stack is needed. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

/** What to print of an error that ends the process. */
export function epitaph(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  const { code, port, address, stack } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (code === 'EADDRINUSE') {
    return `${address}:${port} is in use already: set PORT or LOCALNET_PORT to a free port, or 0 to take any`
  }
  return stack ?? String(error)
}
