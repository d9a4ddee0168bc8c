import {
  type Pubkey,
  pubkeyBytes,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
} from '@agent-registry/solana'
import type { Idl, IdlInstruction } from '../src/idl.ts'

/** The C header with all constants that the C code takes from the IDL. */
export function headerFromIdl(idl: Idl): string {
  return [
    '// Generated from idl.json; `npm run program:build` rewrites it.',
    '#pragma once',
    address('SYSTEM_PROGRAM', SYSTEM_PROGRAM),
    address('TOKEN_PROGRAM', TOKEN_PROGRAM),
    address('UPGRADEABLE_LOADER', UPGRADEABLE_LOADER),
    enumeration(idl.errors.map(({ name, code }) => `ERROR_${constant(name)} = ${code}`)),
    ...errorTexts(idl),
    ...enums(idl),
    ...idl.accounts.map(({ name, discriminator }) => define('ACCOUNT', name, discriminator)),
    ...idl.events.map(({ name, discriminator }) => define('EVENT', name, discriminator)),
    ...idl.instructions.map(({ name, accounts }) =>
      enumeration(accounts.map((account) => `${name}_${account.name}`.toUpperCase())),
    ),
    `#define MAX_ACCOUNTS ${Math.max(...idl.instructions.map(({ accounts }) => accounts.length))}`,
    instructionTable(idl.instructions),
    '',
  ].join('\n')
}

function constant(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
}

function number(discriminator: number[]): string {
  return `0x${Buffer.from(discriminator.toReversed()).toString('hex')}ull`
}

function define(kind: string, name: string, discriminator: number[]): string {
  return `#define ${kind}_${constant(name)} ${number(discriminator)}`
}

function enumeration(entries: string[]): string {
  return `enum {\n${entries.map((entry) => `  ${entry},`).join('\n')}\n};`
}

/** In the format of Anchor. A message ends with its own full stop. */
function errorTexts({ errors, instructions }: Idl): string[] {
  const texts = errors.map(({ name, code, msg }) => `${name}. Error Number: ${code}. Error Message: ${msg}`)
  const rows = texts.map((text, i) => `  X(${errors[i]?.code}, ${JSON.stringify(text)})`)
  const names = instructions.flatMap(({ accounts }) => accounts.map((account) => account.name.length))
  const prefix = 'AnchorError caused by account: . Error Code: '.length + Math.max(...names)
  return [
    `// code, text\n#define ERRORS(X) \\\n${rows.join(' \\\n')}`,
    `#define MAX_ERROR_LINE ${prefix + Math.max(...texts.map((text) => Buffer.byteLength(text)))}`,
  ]
}

function address(name: string, key: Pubkey): string {
  return `static const Pubkey ${name} = {{${pubkeyBytes(key).join(', ')}}};`
}

function enums(idl: Idl): string[] {
  return idl.types.flatMap(({ name, type }) => {
    if (type.kind !== 'enum') return []
    const prefix = constant(name)
    const variants = type.variants.map((variant) => `${prefix}_${constant(variant.name)}`)
    return [enumeration([...variants, `${prefix}_COUNT`])]
  })
}

function instructionTable(instructions: IdlInstruction[]): string {
  const rows = instructions.map(({ name, accounts, discriminator }) => {
    const mask = (key: 'signer' | 'writable'): string =>
      `0x${accounts.reduce((bits, account, i) => bits | (account[key] ? 1 << i : 0), 0).toString(16)}`
    const position = (program: string): number => accounts.findIndex((each) => each.address === program)
    const title = name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const names = accounts.map((account) => account.name)
    const identity = [name, `"Instruction: ${title}"`, `"${names.join(' ')}"`, number(discriminator)]
    const flags = [accounts.length, mask('signer'), mask('writable')]
    const positions = [position(SYSTEM_PROGRAM), position(TOKEN_PROGRAM), names.indexOf('event_authority')]
    return `  X(${[...identity, ...flags, ...positions].join(', ')})`
  })
  return [
    '// handler, log line, account names, discriminator, accounts, signers, writables, and the positions',
    '// of the System program, the Token program and the event authority (-1: none)',
    `#define INSTRUCTIONS(X) \\\n${rows.join(' \\\n')}`,
  ].join('\n')
}
