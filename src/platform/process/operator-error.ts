/** A problem that an operator can fix. The message is enough: no stack trace is printed. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

type SystemError = NodeJS.ErrnoException & { port?: number; address?: string; dest?: string }

/** Errors of files and folders: no access, read-only, full, or a file in place of a folder. */
const FILE_ERRORS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EISDIR', 'ENOENT'])

/** The text to print for an error that ends the process. */
export function formatFatalError(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  const { code = '', syscall, port, address, path, dest, stack } = error as SystemError
  if (code === 'EADDRINUSE') {
    return `${address}:${port} is in use: set PORT and LOCALNET_PORT to free ports, or to 0 for any free port`
  }
  if (syscall === 'listen') {
    return `${address}:${port} cannot be used (${code}): set HOST and PORT to an address and a port that this user may use`
  }
  if (FILE_ERRORS.has(code) && path !== undefined) {
    return `${dest ?? path} cannot be used (${syscall}: ${code}): check its path, owner, permissions and free space. DATA_DIR sets the folder of the gateway`
  }
  return stack ?? String(error)
}
