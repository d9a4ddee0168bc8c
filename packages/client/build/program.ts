/** The parts of an Anchor IDL that the builders need. */
interface Idl {
  address: string
  instructions: {
    name: string
    docs?: string[]
    discriminator: number[]
    accounts: {
      name: string
      docs?: string[]
      writable?: true
      signer?: true
      address?: string
      pda?: { seeds: ({ kind: 'const'; value: number[] } | { kind: 'account'; path: string })[] }
    }[]
    args: { name: string; type: IdlType }[]
  }[]
  errors: { code: number; name: string; msg: string }[]
  types: { name: string; type: { kind: string; variants?: { name: string }[] } }[]
}
type IdlType = string | { option: IdlType } | { array: [IdlType, number] } | { defined: { name: string } }

const camel = (name: string): string =>
  name.replace(/^[A-Z]/, (c) => c.toLowerCase()).replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase())
const pascal = (name: string): string => camel(`_${name}`)
const quote = (text: string): string => `'${text.replaceAll("'", "\\'")}'`
const BIG = new Set(['u64', 'i64'])

/** Typed builders of all instructions, the derived addresses and the errors of the program. */
export function programModule(document: unknown): string {
  const idl = document as Idl
  const enums = idl.types.filter(({ type }) => type.kind === 'enum')
  const writes = new Set<string>()

  const write = (type: IdlType): string => {
    if (typeof type === 'string') return use(type)
    if ('option' in type) return `${use('option')}(${write(type.option)})`
    if ('array' in type) return `${use('array')}(${write(type.array[0])}, ${type.array[1]})`
    return `${use('variant')}(${constant(type.defined.name)})`
  }
  const use = (name: string): string => {
    writes.add(name)
    return name
  }
  const typeOf = (type: IdlType): string => {
    if (typeof type !== 'string') {
      if ('option' in type) return `${typeOf(type.option)} | null`
      if ('array' in type)
        return type.array[0] === 'u8' ? 'Uint8Array' : `readonly ${typeOf(type.array[0])}[]`
      return type.defined.name
    }
    if (BIG.has(type)) return 'bigint'
    return type === 'string' || type === 'pubkey' ? 'string' : type === 'bool' ? 'boolean' : 'number'
  }
  const constant = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
  const seedsOf = ({ pda }: Idl['instructions'][0]['accounts'][0]): string[] | undefined =>
    pda?.seeds.map((seed) =>
      seed.kind === 'const' ? String.fromCharCode(...seed.value) : `$${camel(seed.path)}`,
    )

  const builders = idl.instructions.map(({ name, docs = [], discriminator, accounts, args }) => {
    const specs = accounts.map((each) => {
      const flags = `${each.signer ? 's' : ''}${each.writable ? 'w' : ''}`
      const seeds = seedsOf(each)?.map(quote).join(', ')
      const source = seeds === undefined ? each.address && quote(each.address) : `[${seeds}]`
      return `    [${quote(camel(each.name))}, '${flags}'${source === undefined ? '' : `, ${source}`}],`
    })
    const found = new Set(accounts.filter((each) => each.pda ?? each.address).map((each) => each.name))
    const members = accounts.map(({ name, docs = [] }) => {
      const optional = found.has(name) || name === 'program' ? '?' : ''
      return `${comment(docs, '  ')}  ${camel(name)}${optional}: string`
    })
    const values = args.map(({ name, type }) => {
      const optional = typeof type === 'object' && 'option' in type
      return `  ${camel(name)}${optional ? '?' : ''}: ${typeOf(type)}`
    })
    const [title, lower] = [pascal(name), camel(name)]
    const parameters = `accounts: ${title}Accounts${values.length > 0 ? `, args: ${title}Args` : ''}`
    return [
      `/** The accounts of \`${name}\`. Those that can be derived are optional. */\nexport interface ${title}Accounts {\n${members.join('\n')}\n}`,
      ...(values.length > 0
        ? [`/** The arguments of \`${name}\`. */\nexport interface ${title}Args {\n${values.join('\n')}\n}`]
        : []),
      `const ${lower}Spec: Spec = [\n  [${discriminator.join(', ')}],\n  [\n${specs.join('\n')}\n  ],\n  [${args.map((each) => `[${quote(camel(each.name))}, ${write(each.type)}]`).join(', ')}],\n]\n` +
        `${comment(docs, '')}export const ${lower} = (${parameters}, program: string = PROGRAM): Promise<Instruction> =>\n  build(program, ${lower}Spec, accounts${values.length > 0 ? ', args' : ''})`,
    ].join('\n\n')
  })

  const derived = new Map(
    idl.instructions.flatMap(({ accounts }) =>
      accounts.flatMap((each) => (each.pda === undefined ? [] : [[each.name, seedsOf(each)!] as const])),
    ),
  )
  const addresses = [...derived].map(([name, seeds]) => {
    const from = seeds.filter((seed) => seed.startsWith('$')).map((seed) => seed.slice(1))
    const parameters = [...from.map((each) => `${each}: string`), 'program: string = PROGRAM'].join(', ')
    return `/** The address of the account \`${name}\`. */\nexport const ${camel(name)}Address = (${parameters}): Promise<string> =>\n  deriveAddress(program, [${seeds.map(quote).join(', ')}], { ${from.join(', ')} })`
  })
  const errors = idl.errors.map(({ code, name, msg }) => `  ${code}: [${quote(name)}, ${quote(msg)}],`)

  return `${[
    '// Generated by `npm run codegen` from the IDL of the registry program.',
    `import { ${[...writes].sort().join(', ')}, type Write } from '../program/borsh.ts'\nimport { type AccountSpec, build, deriveAddress, type Instruction } from '../program/instruction.ts'`,
    `type Spec = readonly [readonly number[], readonly AccountSpec[], readonly (readonly [string, Write])[]]`,
    `/** The address of the registry program, unless the operator deployed it elsewhere. */\nexport const PROGRAM = ${quote(idl.address)}`,
    ...enums.map(({ name, type }) => {
      const names = type.variants!.map((each) => quote(camel(each.name)))
      return `export const ${constant(name)} = [${names.join(', ')}] as const\nexport type ${name} = (typeof ${constant(name)})[number]`
    }),
    ...addresses,
    ...builders,
    `/** The name and the text of each error of the program, by its code. */\nexport const PROGRAM_ERRORS: Readonly<Record<number, readonly [name: string, message: string] | undefined>> = {\n${errors.join('\n')}\n}`,
  ].join('\n\n')}\n`
}

function comment(docs: string[], indent: string): string {
  return docs.length === 0 ? '' : `${indent}/** ${docs.join(' ')} */\n`
}
