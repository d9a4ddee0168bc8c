import { pino, type Logger } from 'pino'

export type { Logger } from 'pino'

/** One JSON line an entry, readable lines on a terminal. Names that may hold a secret are never written. */
export function createLogger(level: string, pretty = process.stdout.isTTY): Logger {
  return pino({
    level,
    redact: {
      paths: [
        'secretKey',
        '*.secretKey',
        'secret',
        '*.secret',
        'req.headers.authorization',
        'headers["x-wallet-signature"]',
      ],
      censor: '[redacted]',
    },
    ...(pretty ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } } : {}),
  })
}
