import type { Command } from 'commander'
import {
  createRegistry,
  type EventsOptions,
  type KeySigner,
  OutcomeUnknownError,
  RegistryError,
  signerFromSecretKey,
  TransactionFailedError,
  UnexpectedTransactionError,
} from '@agent-registry/client'
import { readRuntime } from '../../compose/runtime-file.ts'
import { readConfig } from '../../platform/config/config.ts'
import { readKeypairFile } from '../../platform/keys.ts'
import { CommandError, OUTCOME_UNKNOWN, outputOf } from '../output.ts'

export const addUrl = (command: Command): Command =>
  command.option('--url <base>', 'base URL of the gateway; default: the one that runs on this machine')

/** The registry of the gateway at `--url`, at `usualUrl`, or of the one that runs on DATA_DIR. */
export function connect(command: Command, usualUrl?: string) {
  const { url: given, program } = command.optsWithGlobals<{ url?: string; program?: string }>()
  const url = given === undefined ? (usualUrl ?? runningUrl()) : checkedUrl(given)
  return {
    registry: createRegistry(url, { program }),
    output: outputOf(command),
    url,
  }
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
  if (error instanceof OutcomeUnknownError) return outcomeUnknown(error)
  if (error instanceof UnexpectedTransactionError) return new CommandError(error.message)
  const { cause } = error as { cause?: Error }
  return error instanceof TypeError && error.message === 'fetch failed'
    ? new CommandError(`The gateway cannot be reached: ${cause?.message ?? error.message}`)
    : error
}

function outcomeUnknown({ message, id, signature, lastValidBlockHeight }: OutcomeUnknownError): CommandError {
  const until = lastValidBlockHeight === null ? '' : ` until block height ${lastValidBlockHeight}`
  return new CommandError(
    `${message}. It may have landed, or can still land${until}: do not send it again. Continue with: npm run cli -- transaction resume ${id}`,
    { code: 'OUTCOME_UNKNOWN', id, signature, lastValidBlockHeight },
    { exitCode: OUTCOME_UNKNOWN },
  )
}

export const readWallet = (keyFile: string): Promise<KeySigner> =>
  signerFromSecretKey(readKeypairFile(keyFile).secretKey)

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

/** The types of `--types`. The gateway refuses unknown ones, with their names. */
export function typesOf(list: string | undefined): Pick<EventsOptions, 'types'> {
  return { types: list?.split(',') as EventsOptions['types'] }
}
