type Log = (details: object, message: string) => void

/** The methods of a pino logger that the ledger uses. */
export type Logger = Readonly<Record<'debug' | 'warn' | 'error' | 'fatal', Log>>

const ignore: Log = () => undefined

export const silentLogger: Logger = { debug: ignore, warn: ignore, error: ignore, fatal: ignore }

const logAt =
  (level: string): Log =>
  (details, msg) => {
    const { err, ...rest } = details as { err?: Error }
    process.stderr.write(`${JSON.stringify({ level, ...rest, err: err?.stack, msg })}\n`)
  }

/** Writes each warning and each error as one JSON line to standard error. */
export const stderrLogger: Logger = {
  debug: ignore,
  warn: logAt('warn'),
  error: logAt('error'),
  fatal: logAt('fatal'),
}
