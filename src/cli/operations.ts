import { Command } from 'commander'
import { loadOperators } from '../../rest/documents/operators.ts'
import { CommandError, outputOf } from './output.ts'

/** Checks the documents of OPERATIONS_DIR as the start does, for example before an upgrade. */
export function operationsCommand(): Command {
  const check = new Command('check')
    .description('check the documents of a folder as the start does; exits with 1 for a mistake')
    .argument('[folder]', 'folder with *.graphql files', process.env['OPERATIONS_DIR'])
    .action((folder: string | undefined, _, command: Command) => {
      if (folder === undefined) throw new CommandError('Name a folder, or set OPERATIONS_DIR')
      const found = loadOperators(folder)
      const lines = found.map(({ name, rest }) => `${name}${rest === null ? '' : ` GET ${rest.path}`}`)
      outputOf(command).result(
        { operations: found.map(({ name }) => name) },
        lines.length === 0 ? [`${folder} has no *.graphql files`] : lines,
      )
    })
  return new Command('operations').addCommand(check)
}
