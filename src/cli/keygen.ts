import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { loadOrCreateKeypair } from '../platform/keys.ts'
import { CommandError, outputOf } from './output.ts'

export function keygenCommand(): Command {
  return new Command('keygen')
    .argument('<file>', 'path of the new file')
    .action((file: string, _, command: Command) => {
      if (existsSync(file)) throw new CommandError(`${file} already exists: keys are never overwritten`)
      const pubkey = loadOrCreateKeypair(file).publicKey.toBase58()
      outputOf(command).result({ file, pubkey }, [`${pubkey} in ${file}`])
    })
}
