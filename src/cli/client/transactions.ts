import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Command } from 'commander'
import {
  type KeySigner,
  type Registry,
  RegistryError,
  type SendOptions,
  type SendProgress,
  type ServiceCategory,
  type Transaction,
  TransactionFailedError,
  type UnfinishedTransaction,
} from '@agent-registry/client'
import { usdc } from '@agent-registry/client/money'
import { asAmount } from '../registry/options.ts'
import { CommandError, outputOf, type Output } from '../output.ts'
import { addUrl, connect, readWallet, use } from './connect.ts'
import { join } from 'node:path'
import { readConfig } from '../../platform/config/config.ts'

interface RegisterOptions {
  readonly name: string
  readonly category: ServiceCategory
  readonly cardUrl: string
  readonly card: string
  readonly inviteCode?: string
}

/** Registers the agent of a wallet, in the same steps as any client. */
export function registerCommand(): Command {
  return withWallet(new Command('register'))
    .requiredOption('--name <text>', 'name of the agent, 1 to 32 bytes')
    .requiredOption('--category <category>', 'service category, such as research')
    .requiredOption('--card-url <url>', 'URL where the agent card is published')
    .requiredOption('--card <file>', 'the published card; its hash is recorded')
    .option('--invite-code <code>', 'invite code of the service')
    .action(async (options: RegisterOptions, command: Command) => {
      const { name, category, cardUrl, inviteCode } = options
      const card = readFileSync(options.card)
      const { output, wallet, result } = await sendFrom(command, ({ agents }, owner, sending) =>
        agents.register({ name, category, cardUrl, card, inviteCode }, owner, sending),
      )
      const { pda, transaction } = result
      const { id, status, signature } = transaction
      output.result({ pda, owner: wallet.address, id, status, signature }, [
        `${status}: agent ${pda} of ${wallet.address}`,
        `signature ${signature}`,
      ])
    })
}

const AMOUNT = 'USDC, up to 6 decimals'

type SendAmount = (
  stakes: Registry['stakes'],
  ...args: [amount: bigint, wallet: KeySigner, options: SendOptions]
) => Promise<Transaction>

const amountCommand = (name: string, send: SendAmount) => (): Command =>
  withWallet(new Command(name))
    .argument('<amount>', AMOUNT, asAmount(usdc))
    .action(async (amount: bigint, _, command: Command) => {
      const { output, wallet, result } = await sendFrom(command, ({ stakes }, owner, options) =>
        send(stakes, amount, owner, options),
      )
      print(output, { owner: wallet.address, amount }, result)
    })

export const depositCommand = amountCommand('deposit', (stakes, ...args) => stakes.deposit(...args))
export const withdrawCommand = amountCommand('withdraw', (stakes, ...args) =>
  stakes.requestWithdrawal(...args),
)

export function completeWithdrawalCommand(): Command {
  return withWallet(new Command('complete-withdrawal')).action(async (_, command: Command) => {
    const { output, wallet, result } = await sendFrom(command, ({ stakes }, owner, options) =>
      stakes.completeWithdrawal(owner, options),
    )
    print(output, { owner: wallet.address }, result)
  })
}

function print(output: Output, what: object, { id, status, signature }: Transaction): void {
  output.result({ ...what, id, status, signature }, [`${status}: signature ${signature}`])
}

/** Transactions whose command ended before their outcome was known. */
export function transactionCommand(): Command {
  return new Command('transaction').addCommand(listCommand()).addCommand(resumeCommand())
}

function listCommand(): Command {
  return new Command('list')
    .description('list the unfinished transactions of DATA_DIR')
    .action((_, command: Command) => {
      const transactions = unfinishedTransactions()
        .list()
        .map(({ id, wallet, url, signature, lastValidBlockHeight }) => ({
          id,
          wallet,
          url,
          signature,
          lastValidBlockHeight,
        }))
      outputOf(command).result({ transactions }, [
        ...transactions.map(({ id, wallet, url }) => `${id}  of ${wallet}  at ${url}`),
        `${transactions.length} unfinished`,
      ])
    })
}

function resumeCommand(): Command {
  return addUrl(new Command('resume'))
    .description('find the outcome of a signed transaction; sends the same transaction if it is needed')
    .argument('<id>', 'id of the transaction')
    .action(async (id: string, _, command: Command) => {
      const stored = unfinishedTransactions().find(id)
      const { registry, output } = connect(command, stored?.url)
      const options = { onProgress: showing(output) }
      const { status, signature } = await use(() =>
        finish({ id }, () => registry.transactions.resume(stored ?? id, options)),
      )
      output.result({ id, status, signature }, [`${status}: signature ${signature}`])
    })
}

interface WalletOptions {
  readonly key: string
}

const withWallet = (command: Command): Command =>
  addUrl(command)
    .requiredOption('--key <file>', 'Solana CLI key file of the wallet')
    .option('--program <address>', 'registry program that the wallet signs for; default: the released one')

/**
 * Sends a transaction of the wallet. From its signature until its outcome is known it is stored, so
 * that `transaction resume` can continue. Throws CommandError if the wallet has an unfinished one.
 */
async function sendFrom<Result>(
  command: Command,
  send: (registry: Registry, wallet: KeySigner, options: SendOptions) => Promise<Result>,
) {
  const { key } = command.opts<WalletOptions>()
  const wallet = await readWallet(key)
  const connection = connect(command)
  const { registry, output, url } = connection
  const unfinished = unfinishedTransactions()
  const open = unfinished.list().find((each) => each.wallet === wallet.address)
  if (open !== undefined)
    throw new CommandError(
      `the transaction ${open.id} of this wallet is not finished, so nothing was sent. Continue with: npm run cli -- transaction resume ${open.id} ` +
        `If the gateway never knows its outcome, look whether it landed, and delete ${unfinished.fileOf(open.id)}`,
      { id: open.id, signature: open.signature },
    )
  const sent: Sent = { id: null }
  const options: SendOptions = {
    onSigned: (transaction) => {
      const { id } = transaction
      unfinished.put({ ...transaction, wallet: wallet.address, url })
      sent.id = id
      output.announce({ id, signature: transaction.signature, status: 'signed' }, [
        `signed transaction ${id}, signature ${transaction.signature ?? 'follows from the sponsor'}`,
        `if this command ends early: npm run cli -- transaction resume ${id}`,
      ])
    },
    onProgress: showing(output),
  }
  const result = await use(() => finish(sent, () => send(registry, wallet, options)))
  return { ...connection, wallet, result }
}

/** The id is null until the transaction is signed. */
interface Sent {
  id: string | null
}

/** Removes the stored transaction when its outcome is known. */
async function finish<Result>(sent: Sent, work: () => Promise<Result>): Promise<Result> {
  const remove = (): void => {
    if (sent.id !== null) unfinishedTransactions().remove(sent.id)
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

const showing =
  (output: Output) =>
  (state: SendProgress): void => {
    if (state === 'unknown') output.progress('no response: asking the gateway for the outcome')
  }

/** A signed transaction whose outcome is not known, and who sent it where. */
interface StoredTransaction extends UnfinishedTransaction {
  readonly wallet: string
  /** Base URL of the gateway. */
  readonly url: string
}

/** The gateway chooses the ids, and they become file names. */
const ID = /^[\w-]{1,64}$/
const SUFFIX = '.json'

/**
 * The unfinished transactions of DATA_DIR, a file each that only its owner can read. They survive a
 * killed command.
 */
function unfinishedTransactions() {
  const folder = join(readConfig(process.env).config.dataDir, 'unfinished')
  const fileOf = (id: string): string => {
    if (!ID.test(id))
      throw new CommandError(`an id of a transaction has letters, digits and -, got ${JSON.stringify(id)}`)
    return join(folder, id + SUFFIX)
  }
  const list = (): StoredTransaction[] => namesIn(folder).map((name) => read(join(folder, name)))
  return {
    fileOf,
    list,
    find: (id: string): StoredTransaction | null => list().find((each) => each.id === id) ?? null,
    put: (transaction: StoredTransaction): void => {
      const file = fileOf(transaction.id)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(`${file}.new`, `${JSON.stringify(transaction)}\n`, { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
    remove: (id: string): void => rmSync(fileOf(id), { force: true }),
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(SUFFIX))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function read(file: string): StoredTransaction {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as StoredTransaction
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new CommandError(`${file} is not an unfinished transaction: ${error.message}`, {}, { cause: error })
  }
}
