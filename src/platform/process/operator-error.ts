/** A problem that an operator can fix. The message is enough: no stack trace is printed. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

/** The text to print for an error that ends the process. */
export function formatFatalError(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  const { code, port, address, stack } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (code === 'EADDRINUSE') {
    return `${address}:${port} is in use: set PORT and LOCALNET_PORT to free ports, or to 0 for any free port`
  }
  return stack ?? String(error)
}
