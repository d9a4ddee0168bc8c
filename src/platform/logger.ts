import { destination, pino, type Logger } from 'pino'

export type { Logger } from 'pino'

const redact = {
  paths: [
    'secretKey',
    '*.secretKey',
    'secret',
    '*.secret',
    'req.headers.authorization',
    'headers["x-wallet-signature"]',
  ],
  censor: '[redacted]',
}

/** Writes JSON lines, or readable lines on a terminal. Redacts what may hold secrets. */
export function createLogger(level: string, pretty = process.stdout.isTTY): Logger {
  return pino({
    level,
    redact,
    ...(pretty ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } } : {}),
  })
}

/** For commands. Writes to standard error, because standard output is for the result. */
export function createCommandLogger(): Logger {
  return pino({ level: process.env.LOG_LEVEL ?? 'warn', redact }, destination(2))
}
