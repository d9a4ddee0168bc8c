import * as fc from './property.ts'
import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
} from 'graphql'
import { schema } from '../../schema/index.ts'

interface RandomQuery {
  readonly query: string
  readonly variables: Record<string, unknown>
}

type Draw = fc.GeneratorValue
type Values = Readonly<Record<string, readonly unknown[]>>

const MAX_DEPTH = 4
/** Values of no type, or of few. */
const WRONG: readonly unknown[] = [{}, { x: 1 }, [], [[]], [null], true, 0, 1.5, '', 'x', 1e300]

/**
 * Queries of some root fields with aliases, merged fields, fragments, inline fragments, literals
 * and variables. `values` has values for arguments by type and by name, first two that every
 * document may contain. Variables have the others too. A few documents are invalid.
 */
export function randomQueries(rootFields: readonly string[], values: Values): fc.Arbitrary<RandomQuery> {
  return fc.gen().map((draw) => new Writer(draw, values).write(rootFields))
}

class Writer {
  readonly #draw: Draw
  readonly #values: Values
  readonly #fragments: { name: string; type: string; text: string }[] = []
  readonly #definitions: string[] = []
  readonly #variables: Record<string, unknown> = {}
  #aliases = 0

  constructor(draw: Draw, values: Values) {
    this.#draw = draw
    this.#values = values
  }

  write(rootFields: readonly string[]): RandomQuery {
    const queryType = schema.getQueryType()!
    const fields = queryType.getFields()
    const roots = this.#some(rootFields, 2).map((name) => this.#field(fields[name]!, 0))
    if (this.#chance(10)) roots.push('__typename')
    const definitions = this.#definitions.length === 0 ? '' : `(${this.#definitions.join(', ')})`
    const fragments = this.#fragments.map(({ name, type, text }) => `fragment ${name} on ${type} ${text}`)
    return {
      query: [`query Random${definitions} { ${roots.join(' ')} }`, ...fragments].join('\n'),
      variables: this.#variables,
    }
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const args = field.args.flatMap((arg) => this.#argument(arg))
    const type = getNamedType(field.type)
    const inner = isCompositeType(type) ? ` ${this.#selection(type, depth + 1)}` : ''
    // Fields with arguments need an alias of their own. Otherwise they conflict.
    const alias = this.#chance(args.length === 0 ? 10 : 95) ? `a${(this.#aliases += 1)}: ` : ''
    return `${alias}${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`}${inner}`
  }

  #selection(type: GraphQLNamedType, depth: number): string {
    const fields = 'getFields' in type ? Object.values((type as GraphQLObjectType).getFields()) : []
    const usable = fields.filter((each) => depth < MAX_DEPTH || !isCompositeType(getNamedType(each.type)))
    const parts = this.#some(usable, 5).map((each) => this.#field(each, depth))
    if (parts.length === 0 || this.#chance(15)) parts.push('__typename')
    if (depth < MAX_DEPTH && this.#chance(30))
      parts.splice(this.#index(parts), 0, this.#fragment(type, depth))
    if (this.#chance(10)) parts.push(parts[0]!)
    return `{ ${parts.join(' ')} }`
  }

  #fragment(type: GraphQLNamedType, depth: number): string {
    const known = this.#fragments.filter((each) => each.type === type.name)
    if (known.length > 0 && this.#chance(50)) return `...${this.#pick(known).name}`
    const types = isAbstractType(type)
      ? [type, ...schema.getPossibleTypes(type)]
      : [type, ...interfacesOf(type)]
    const condition = this.#pick(types)
    const text = this.#selection(condition, depth + 1)
    if (this.#chance(50)) return `... on ${condition.name} ${text}`
    const name = `F${this.#fragments.length}`
    this.#fragments.push({ name, type: condition.name, text })
    return `...${name}`
  }

  #argument(arg: GraphQLArgument): string[] {
    if (!isNonNullType(arg.type) && this.#chance(50)) return []
    if (!this.#chance(40)) return [`${arg.name}: ${this.#literal(arg.type, arg.name)}`]
    const name = `v${this.#definitions.length}`
    this.#definitions.push(`$${name}: ${String(arg.type)}`)
    if (!this.#chance(5)) this.#variables[name] = this.#value(arg.type, arg.name)
    return [`${arg.name}: $${name}`]
  }

  #value(type: GraphQLInputType, name: string, valid = false): unknown {
    if (!valid && this.#chance(3)) return this.#pick(WRONG)
    if (!isNonNullType(type) && this.#chance(10)) return null
    const inner = getNullableType(type)
    if (isListType(inner)) {
      const item = (): unknown => this.#value(inner.ofType, name, valid)
      return this.#chance(10) ? item() : Array.from({ length: this.#draw(fc.nat, { max: 2 }) }, item)
    }
    if (isEnumType(inner)) return this.#pick(inner.getValues()).name
    if (isInputObjectType(inner))
      return Object.fromEntries(
        this.#some(Object.values(inner.getFields()), 3).map((each) => [
          each.name,
          this.#value(each.type, each.name, valid),
        ]),
      )
    const values = this.#values[name] ?? this.#values[inner.name]!
    return this.#pick(valid ? values.slice(0, 2) : values)
  }

  #literal(type: GraphQLInputType, name: string): string {
    return literalOf(this.#value(type, name, true), getNamedType(type))
  }

  #some<Item>(items: readonly Item[], max: number): Item[] {
    const count = 1 + this.#draw(fc.nat, { max: max - 1 })
    return items.length === 0 ? [] : Array.from({ length: count }, () => this.#pick(items))
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#index(items)]!
  }

  #index(items: readonly unknown[]): number {
    return this.#draw(fc.nat, { max: items.length - 1 })
  }

  #chance(percent: number): boolean {
    return this.#draw(fc.nat, { max: 99 }) < percent
  }
}

function interfacesOf(type: GraphQLNamedType): readonly GraphQLNamedType[] {
  return isInterfaceType(type) || 'getInterfaces' in type ? (type as GraphQLObjectType).getInterfaces() : []
}

function literalOf(value: unknown, type: GraphQLNamedType): string {
  if (Array.isArray(value)) return `[${value.map((each) => literalOf(each, type)).join(', ')}]`
  if (typeof value === 'object' && value !== null && isInputObjectType(type)) {
    const members = Object.entries(value).map(([name, each]) => {
      return `${name}: ${literalOf(each, getNamedType(type.getFields()[name]!.type))}`
    })
    return `{ ${members.join(', ')} }`
  }
  return typeof value === 'string' && isEnumType(type) ? value : JSON.stringify(value)
}
