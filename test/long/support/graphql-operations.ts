import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isCompositeType,
  type GraphQLInterfaceType,
} from 'graphql'
import { COMPILED_FIELDS } from '../../../rest/graphql/compiled-queries.ts'
import * as fc from '../../support/property.ts'
import { schema } from '../../../schema/index.ts'

export interface RandomOperation {
  readonly name: string
  /** With `@rest` and `@tool`. */
  readonly text: string
  /** Of its variables, in JSON of REST and tools. */
  readonly values: Readonly<Record<string, unknown>>
  /** The same for /graphql: enums are names. */
  readonly variables: Readonly<Record<string, unknown>>
}

type Composite = GraphQLObjectType | GraphQLInterfaceType
type Draw = fc.GeneratorValue
/** Values of scalars by the name of the argument or member. */
type ScalarValues = Readonly<Record<string, readonly unknown[]>>

/** Fields of Query that only read. */
const ROOTS = [...COMPILED_FIELDS, 'lookupAgents', 'verifyAgent']
const MAX_DEPTH = 4
const RARE = new Set(['after', 'before', 'last'])

/** Operations of operators: queries with variables, fragments, aliases and nested lists. */
export function randomOperation(index: number, values: ScalarValues): fc.Arbitrary<RandomOperation> {
  return fc.gen().map((draw) => new Writer(draw, `P${index}`, values).write())
}

class Writer {
  readonly #draw: Draw
  readonly #name: string
  readonly #scalars: ScalarValues
  readonly #fragments: string[] = []
  readonly #definitions: string[] = []
  readonly #values: Record<string, unknown> = {}
  readonly #variables: Record<string, unknown> = {}
  #count = 0

  constructor(draw: Draw, name: string, scalars: ScalarValues) {
    this.#draw = draw
    this.#name = name
    this.#scalars = scalars
  }

  write(): RandomOperation {
    const fields = schema.getQueryType()!.getFields()
    const roots = Array.from({ length: 1 + this.#below(2) }, (_, i) =>
      this.#field(fields[this.#pick(ROOTS)]!, 1, `r${i}`),
    )
    const name = this.#name
    const variables = this.#definitions.length === 0 ? '' : `(${this.#definitions.join(', ')})`
    const text = `"Random" query ${name}${variables}
      @rest(path: "/x/${name}", tag: "Agents") @tool(name: "${name.toLowerCase()}", title: "Random", effect: READ)
      @model(name: "${name}") { ${roots.join(' ')} }
      ${this.#fragments.join('\n')}`
    return { name, text, values: this.#values, variables: this.#variables }
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number, alias: string): string {
    const args = field.args.flatMap((arg) => this.#argument(arg))
    const type = getNamedType(field.type)
    const inner = isCompositeType(type)
      ? ` @model(name: "${this.#name}M${(this.#count += 1)}") ${this.#selection(type as Composite, depth)}`
      : ''
    // The client knows integers of 64 bits by the names of their members.
    const name = type.name === 'U64' ? `${alias}Exact` : alias
    return `${name}: ${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`}${inner}`
  }

  #selection(type: Composite, depth: number): string {
    const all = Object.values(type.getFields()).filter((each) => isUsable(each, 0))
    const shallow = all.filter((each) => isUsable(each, depth))
    // Connections have only objects.
    const usable = shallow.length === 0 ? all : shallow
    const chosen = Array.from({ length: 1 + this.#below(4) }, (_, i) =>
      this.#field(this.#pick(usable), depth + 1, `f${i}`),
    )
    if (isInterfaceType(type)) chosen.push(`type: __typename`, ...this.#variants(type, depth))
    if (!this.#chance(25)) return `{ ${chosen.join(' ')} }`
    const name = `${this.#name}F${this.#fragments.length}`
    this.#fragments.push(`fragment ${name} on ${type.name} { ${chosen.join(' ')} }`)
    return `{ ...${name} }`
  }

  /** Fields of some types of an interface, with names that no other type uses. */
  #variants(type: GraphQLInterfaceType, depth: number): string[] {
    const types = new Set(
      Array.from({ length: this.#below(3) }, () => this.#pick(schema.getPossibleTypes(type))),
    )
    return Array.from(types, (each) => {
      const usable = Object.values(each.getFields()).filter((field) => isUsable(field, MAX_DEPTH))
      const fields = [0, 1].map((i) => this.#field(this.#pick(usable), depth + 1, `${each.name}${i}`))
      return `... on ${each.name} { ${fields.join(' ')} }`
    })
  }

  #argument(arg: GraphQLArgument): string[] {
    const isRequired = isNonNullType(arg.type) && arg.defaultValue === undefined
    // Most cursors are refused, and so are `first` and `last` together.
    if (!isRequired && !this.#chance(RARE.has(arg.name) ? 3 : 50)) return []
    return [`${arg.name}: ${this.#value(arg.type, arg.name)}`]
  }

  /** A literal, or a variable in its place. */
  #value(type: GraphQLInputType, name: string): string {
    const inner = isNonNullType(type) ? (type.ofType as GraphQLInputType) : type
    if (isInputObjectType(inner)) {
      const members = Object.values(inner.getFields()).filter(() => this.#chance(30))
      return `{ ${members.map((each) => `${each.name}: ${this.#value(each.type, each.name)}`).join(', ')} }`
    }
    const named = getNamedType(inner)
    const given = isEnumType(named) ? this.#pick(named.getValues()) : null
    const scalar = given === null ? this.#pick(this.#scalars[name] ?? this.#scalars[named.name]!) : null
    const literal = given === null ? JSON.stringify(scalar) : given.name
    if (!this.#chance(50)) return isListType(inner) ? `[${literal}]` : literal
    const variable = `v${this.#definitions.length}`
    this.#definitions.push(`$${variable}: ${String(type)}`)
    const put = (value: unknown): unknown => (isListType(inner) ? [value, value] : value)
    this.#values[variable] = put(given === null ? scalar : given.value)
    this.#variables[variable] = put(given === null ? scalar : given.name)
    return `$${variable}`
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)]!
  }

  #below(count: number): number {
    return this.#draw(fc.nat, { max: count - 1 })
  }

  #chance(percent: number): boolean {
    return this.#below(100) < percent
  }
}

/** Not what calls the ledger, or belongs to a wallet. */
function isUsable({ type, extensions }: GraphQLField<unknown, unknown>, depth: number): boolean {
  const named = getNamedType(type)
  if (extensions.login !== undefined || extensions.errors?.includes('LEDGER_UNAVAILABLE') === true)
    return false
  return depth < MAX_DEPTH || !isCompositeType(named)
}
