import { encodeBase58 } from '@agent-registry/solana'
import { Command } from 'commander'
import nacl from 'tweetnacl'
import { signedMessage } from '../identity/wallet-auth.ts'
import { systemClock } from '../platform/clock.ts'
import { readKeypairFile } from '../platform/keys.ts'
import { CommandError, createOutput } from './output.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE']

/** Signs one request, for trying out endpoints that need a wallet. */
export function signCommand(): Command {
  return new Command('sign')
    .argument('<method>', 'HTTP method, such as POST')
    .argument('<path>', 'path of the request, such as /webhooks; a query string is not signed')
    .requiredOption('--key <file>', 'Solana CLI key file of the wallet')
    .option('--url <base>', 'base URL of the gateway: print the whole curl command')
    .action((method: string, path: string, { key, url }: { key: string; url?: string }, command: Command) => {
      const verb = checkedMethod(method)
      const headers = walletHeaders(verb, checkedPath(path).replace(/\?.*/, ''), key)
      const target = url === undefined ? [] : [`'${targetOf(url, path)}'`]
      const options = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`)
      const line = [...(url === undefined ? [] : [`curl -X ${verb}`]), ...options, ...target].join(' ')
      createOutput(command.optsWithGlobals().json === true).result(headers, [line])
    })
}

function walletHeaders(method: string, path: string, keyFile: string) {
  const { publicKey, secretKey } = readKeypairFile(keyFile)
  const pubkey = publicKey.toBase58()
  const timestamp = String(Math.floor(systemClock.now() / 1000))
  const message = Buffer.from(signedMessage({ pubkey, timestamp, method, path }))
  return {
    'X-Wallet-Pubkey': pubkey,
    'X-Wallet-Timestamp': timestamp,
    'X-Wallet-Signature': encodeBase58(nacl.sign.detached(message, secretKey)),
  }
}

function checkedMethod(method: string): string {
  const verb = method.toUpperCase()
  if (METHODS.includes(verb)) return verb
  throw new CommandError(`method must be one of ${METHODS.join(', ')}, got ${JSON.stringify(method)}`)
}

/** Quotes are refused because the path becomes part of a shell command. */
function checkedPath(path: string): string {
  if (/^\/[\x21-\x7e]*$/.test(path) && !/['#\\]/.test(path)) return path
  throw new CommandError(
    `path must start with / and be percent-encoded, such as /webhooks, got ${JSON.stringify(path)}`,
  )
}

function targetOf(base: string, path: string): string {
  const { protocol, origin, pathname } = URL.parse(base) ?? {}
  if ((protocol !== 'http:' && protocol !== 'https:') || base.includes("'"))
    throw new CommandError(`--url must be an http or https URL, got ${base}`)
  return `${origin}${pathname?.replace(/\/$/, '')}${path}`
}
