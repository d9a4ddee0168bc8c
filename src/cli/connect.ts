import type { Command } from 'commander'
import {
  createRegistry,
  OutcomeUnknownError,
  type Registry,
  RegistryError,
  TransactionFailedError,
} from '@agent-registry/client'
import { readRuntime } from '../compose/runtime-file.ts'
import { readConfig } from '../platform/config/config.ts'
import { CommandError, OUTCOME_UNKNOWN } from './output.ts'

/** The registry of the gateway at `--url`, or of the one that runs on DATA_DIR. */
export function connect(command: Command): Registry {
  const { url } = command.opts<{ url?: string }>()
  return createRegistry(url === undefined ? runningUrl() : checkedUrl(url))
}

/** Runs requests. Errors of the gateway become errors of the command, with their code. */
export async function use<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw commandErrorOf(error)
  }
}

function commandErrorOf(error: unknown): unknown {
  if (error instanceof RegistryError) {
    const { message, code, status, requestId, logs } = error
    return new CommandError([message, ...logs].join('\n'), { code, status, requestId })
  }
  if (error instanceof TransactionFailedError)
    return new CommandError([error.message, ...error.logs].join('\n'), { code: error.code, id: error.id })
  if (error instanceof OutcomeUnknownError) {
    const { message, id, signature } = error
    const context = { code: 'OUTCOME_UNKNOWN', id, signature }
    return new CommandError(
      `${message}. It may have landed, or can still land: do not send it again`,
      context,
      {
        exitCode: OUTCOME_UNKNOWN,
      },
    )
  }
  const { cause } = error as { cause?: Error }
  return error instanceof TypeError && error.message === 'fetch failed'
    ? new CommandError(`The gateway cannot be reached: ${cause?.message ?? error.message}`)
    : error
}

function runningUrl(): string {
  const { config } = readConfig(process.env)
  const { baseUrl = '' } = readRuntime(config.dataDir) ?? {}
  if (baseUrl === '')
    throw new CommandError(
      `no gateway is running on ${config.dataDir}: start one with npm start, or give --url`,
    )
  return baseUrl
}

function checkedUrl(url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw new CommandError(`--url must be an http or https URL, got ${url}`)
}
