import type { Command } from 'commander'
import {
  type KeySigner,
  type Registry,
  RegistryError,
  type SendOptions,
  type SendProgress,
  TransactionFailedError,
} from '@agent-registry/client'
import { CommandError, type Output } from '../output.ts'
import { addUrl, connect, type Connection, readWallet, use } from './connect.ts'
import { unfinishedTransactions } from './unfinished.ts'

export interface WalletOptions {
  readonly key: string
}

/** Adds the options of commands that send a transaction of a wallet. */
export const withWallet = (command: Command): Command =>
  addUrl(command)
    .requiredOption('--key <file>', 'Solana CLI key file of the wallet')
    .option('--program <address>', 'registry program that the wallet signs for; default: the released one')

interface WalletConnection extends Connection {
  readonly wallet: KeySigner
}

/**
 * Sends a transaction of the wallet. From its signature until its outcome is known it is stored, so
 * that `transaction resume` can continue. Throws CommandError if the wallet has an unfinished one.
 */
export async function sendFrom<Result>(
  command: Command,
  send: (registry: Registry, wallet: KeySigner, options: SendOptions) => Promise<Result>,
): Promise<WalletConnection & { readonly result: Result }> {
  const { key } = command.opts<WalletOptions>()
  const wallet = await readWallet(key)
  const connection = connect(command)
  const { registry, output, url } = connection
  const unfinished = unfinishedTransactions()
  const open = unfinished.list().find((each) => each.wallet === wallet.address)
  if (open !== undefined)
    throw new CommandError(
      `the transaction ${open.id} of this wallet is not finished, so nothing was sent. ${resumeHint(open.id)} ` +
        `If the gateway never knows its outcome, look whether it landed, and delete ${unfinished.fileOf(open.id)}`,
      { id: open.id, signature: open.signature },
    )
  let id: string | null = null
  const options: SendOptions = {
    onSigned: (transaction) => {
      unfinished.put({ ...transaction, wallet: wallet.address, url })
      id = transaction.id
      output.announce({ id, signature: transaction.signature, status: 'signed' }, [
        `signed transaction ${id}, signature ${transaction.signature ?? 'follows from the sponsor'}`,
        `if this command ends early: npm run cli -- transaction resume ${id}`,
      ])
    },
    onProgress: showing(output),
  }
  const result = await use(() =>
    finish(
      () => send(registry, wallet, options),
      () => id,
    ),
  )
  return { ...connection, wallet, result }
}

/** Removes the stored transaction when its outcome is known. */
export async function finish<Result>(
  work: () => Promise<Result>,
  idOf: () => string | null,
): Promise<Result> {
  const remove = (): void => {
    const id = idOf()
    if (id !== null) unfinishedTransactions().remove(id)
  }
  try {
    const result = await work()
    remove()
    return result
  } catch (error) {
    if (error instanceof RegistryError || error instanceof TransactionFailedError) remove()
    throw error
  }
}

export const showing =
  (output: Output) =>
  (state: SendProgress): void => {
    if (state === 'unknown') output.progress('no response: asking the gateway for the outcome')
  }

export const resumeHint = (id: string): string => `Continue with: npm run cli -- transaction resume ${id}`
