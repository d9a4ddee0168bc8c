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

/** One JSON line an entry, readable lines on a terminal. Names that may hold a secret are never written. */
export function createLogger(level: string, pretty = process.stdout.isTTY): Logger {
  return pino({
    level,
    redact,
    ...(pretty ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } } : {}),
  })
}

/** For a command: standard output is for its answer alone, so this writes to standard error. */
export function createCommandLogger(level = process.env.LOG_LEVEL ?? 'warn'): Logger {
  return pino({ level, redact }, destination(2))
}
