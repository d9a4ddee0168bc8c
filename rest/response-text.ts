import {
  type ASTNode,
  type GraphQLNamedType,
  Kind,
  type DocumentNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLLeafType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  type GraphQLSchema,
  type FieldNode,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  separateOperations,
  visit,
} from 'graphql'
import { isBody, type Selected } from './documents/responses.ts'
import { joined, type KeptText, keptTexts, type Parts } from './text-parts.ts'

type Field = GraphQLField<unknown, unknown>
/** Adds the text of a value. */
type Write = (value: unknown, parts: (string | KeptText)[]) => void
type Members = Readonly<Record<string, unknown>>

export type ResponseText = ReturnType<typeof responseText>

/** Types whose rows are those of the registry in memory: a changed row is a new object. */
const KEPT = new Set(['Agent', 'Stake'])
const WHOLE = '__whole'
const Row = new GraphQLScalarType({ name: 'Row', coerceOutputValue: (row) => row })

/**
 * Adds `agents__whole` beside a field `agents` of such rows: it returns the rows themselves, so
 * that their texts can be kept.
 */
export function addWholeFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    // The types of introspection are those of all schemas.
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    const fields = type.getFields()
    for (const field of Object.values(fields)) {
      if (!hasKeptRows(getNamedType(field.type))) continue
      const name = field.name + WHOLE
      const resolve = field.resolve ?? ((parent: Members) => parent[field.name])
      fields[name] = Object.assign(Object.create(field) as Field, { name, resolve, type: ofRows(field.type) })
    }
  }
  return schema
}

const hasKeptRows = (type: GraphQLNamedType): boolean => isObjectType(type) && KEPT.has(type.name)

function ofRows(type: GraphQLOutputType): GraphQLOutputType {
  if (isNonNullType(type)) return new GraphQLNonNull(ofRows(type.ofType) as never)
  return isListType(type) ? new GraphQLList(ofRows(type.ofType)) : Row
}

/**
 * Rows that are kept and whose selected fields depend on nothing else are not executed field by
 * field: the row of the service is written, and its text is kept as long as the row. `fields` are
 * those of the document.
 */
export function responseText(schema: GraphQLSchema, document: DocumentNode, fields: readonly Selected[]) {
  const rows = rowWriters(schema.getQueryType()!, fields, document)
  return {
    /** Selects rows whole: only for a schema with `addWholeFields`. */
    document: withoutUnusedFragments(
      visit(document, {
        Field: (node) => {
          if (!rows.has(placeOf(node))) return undefined
          const name = { ...node.name, value: node.name.value + WHOLE }
          return { ...node, alias: node.alias ?? node.name, name, selectionSet: undefined }
        },
      }),
    ),
    write: textWriter(objectWriter(fields, rows)),
    writeBody: partsWriter(bodyOf(fields, rows)),
  }
}

/** Writes the body of a response: the data of its operation, or the value of its only field. */
export const bodyWriter = (fields: readonly Selected[]): ((data: object) => string) =>
  textWriter(bodyOf(fields, new Map()))

function bodyOf(fields: readonly Selected[], rows: RowWriters): Write {
  if (!isBody(fields)) return objectWriter(fields, rows)
  const [{ read, write }] = membersOf(fields, rows) as [Member]
  return (data, parts) => write(read(data), parts)
}

function partsWriter(write: Write): (data: object) => Parts {
  return (data) => {
    const parts: (string | KeptText)[] = []
    write(data, parts)
    return parts
  }
}

function textWriter(write: Write): (data: object) => string {
  const partsOf = partsWriter(write)
  return (data) => joined(partsOf(data))
}

/** Nodes are copied with their place when documents are changed. */
const placeOf = (node: FieldNode): object => node.loc ?? node

const withoutUnusedFragments = (document: DocumentNode): DocumentNode =>
  Object.values(separateOperations(document))[0]!

/** All fields of a node, also those in its fragments. */
function fieldsOf(start: ASTNode, { definitions }: DocumentNode): ReadonlySet<FieldNode> {
  const fields = new Set<FieldNode>()
  const fragments = new Set<string>()
  const look = (node: ASTNode): void =>
    void visit(node, {
      Field: (field) => void fields.add(field),
      FragmentSpread: ({ name: { value } }) => {
        if (fragments.has(value)) return
        fragments.add(value)
        look(definitions.find((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === value)!)
      },
    })
  look(start)
  return fields
}

type RowWriters = ReadonlyMap<object, Write>

/**
 * The writers of the fields whose value is written as one text. A field of a fragment is one of
 * them only if it is one wherever the fragment is used.
 */
function rowWriters(
  root: GraphQLObjectType,
  fields: readonly Selected[],
  document: DocumentNode,
): RowWriters {
  const rows = new Map<object, Write>()
  const others = new Set<object>()
  const collect = (parent: GraphQLObjectType, selected: readonly Selected[]): void => {
    for (const { field, nodes, inner } of selected) {
      const type = getNamedType(parent.getFields()[field.name]?.type)
      // Nothing is whole there, because its types merge different selections.
      if (isAbstractType(type))
        for (const node of nodes) for (const each of fieldsOf(node, document)) others.add(placeOf(each))
      if (!isObjectType(type) || inner === null) continue
      const isWhole = nodes.length === 1 && hasKeptRows(type) && isPlain(type, inner)
      if (isWhole) {
        const read = rowReader(type, inner)
        rows.set(placeOf(nodes[0]!), (row, parts) => void parts.push(keptTexts.of(row as object, read)))
      } else {
        for (const each of nodes) others.add(placeOf(each))
        collect(type, inner)
      }
    }
  }
  collect(root, fields)
  for (const each of others) rows.delete(each)
  return rows
}

/** Whether all selected fields depend on the object only. */
function isPlain(type: GraphQLObjectType, fields: readonly Selected[]): boolean {
  return fields.every(({ field: { name }, inner }) => {
    const field = type.getFields()[name]
    if (field === undefined || !dependsOnObject(field)) return false
    const named = getNamedType(field.type)
    return (
      isLeafType(named) ||
      (!isListType(getNullableType(field.type)) && isObjectType(named) && isPlain(named, inner!))
    )
  })
}

/** A resolver that takes neither arguments nor the context cannot depend on them. */
const dependsOnObject = ({ args, resolve }: Field): boolean =>
  args.length === 0 && (resolve === undefined || resolve.length === 1)

function objectWriter(fields: readonly Selected[], rows: RowWriters): Write {
  const members = membersOf(fields, rows)
  return (object, parts) => writeMembers(object, members, parts)
}

function membersOf(fields: readonly Selected[], rows: RowWriters): Member[] {
  return fields.map((selected) => {
    const { node, name, optional, inner, variants } = selected
    const member = keyOf(node)
    const write = anyWriter(
      rows.get(placeOf(node)) ??
        (inner && objectWriter(inner, rows)) ??
        (variants && variantWriter(variants, rows)) ??
        writeLeaf,
    )
    const [first, later] = [`{"${name}":`, `,"${name}":`]
    return { first, later, optional, write, read: (object: unknown) => (object as Members)[member] }
  })
}

function variantWriter(variants: NonNullable<Selected['variants']>, rows: RowWriters): Write {
  const writers = new Map(Array.from(variants, ([type, fields]) => [type, objectWriter(fields, rows)]))
  const [first] = variants.values()
  const key = keyOf(first!.find(({ field }) => field.name === '__typename')!.node)
  return (object, parts) => writers.get((object as Members)[key] as string)!(object, parts)
}

/** Selects the fields of what the service returned. */
function rowReader(type: GraphQLObjectType, fields: readonly Selected[]): (row: unknown) => Members {
  const members = fields.map(({ field, name, optional, inner }) => {
    const { type: fieldType, resolve } = type.getFields()[field.name]!
    const named = getNamedType(fieldType)
    const change = isObjectType(named) ? rowReader(named, inner!) : leafReader(named as GraphQLLeafType)
    return {
      key: field.name,
      resolve: resolve as ((row: unknown) => unknown) | undefined,
      name,
      optional,
      change: change && nullable(change),
    }
  })
  return (row) => {
    const object: Record<string, unknown> = {}
    for (const { key, resolve, name, optional, change } of members) {
      const value = resolve === undefined ? (row as Members)[key] : resolve(row)
      // JSON.stringify leaves out what is undefined.
      if (optional && (value ?? false) === false) object[name] = undefined
      else object[name] = change === null ? (value ?? null) : change(value)
    }
    return object
  }
}

/** Null if GraphQL's value is that of the service: of enums and GraphQL's own scalars. */
function leafReader(type: GraphQLLeafType): ((value: unknown) => unknown) | null {
  return isEnumType(type) || isSpecifiedScalarType(type) ? null : (value) => type.coerceOutputValue(value)
}

function nullable(change: (value: unknown) => unknown): (value: unknown) => unknown {
  const changeAny = (value: unknown): unknown => {
    if (value === null || value === undefined) return null
    return Array.isArray(value) ? value.map(changeAny) : change(value)
  }
  return changeAny
}

interface Member {
  /** The name with the punctuation around it: as the first member, and as a later one. */
  readonly first: string
  readonly later: string
  readonly optional: boolean
  readonly read: (object: unknown) => unknown
  readonly write: Write
}

const writeLeaf: Write = (value, parts) => void parts.push(JSON.stringify(value))

function writeMembers(object: unknown, members: readonly Member[], parts: (string | KeptText)[]): void {
  let isFirst = true
  for (const { first, later, optional, read, write } of members) {
    const value = read(object)
    if (optional && (value ?? false) === false) continue
    parts.push(isFirst ? first : later)
    write(value, parts)
    isFirst = false
  }
  parts.push(isFirst ? '{}' : '}')
}

/** Writes null and lists too. */
function anyWriter(write: Write): Write {
  const writeAny: Write = (value, parts) => {
    if (value === null || value === undefined) parts.push('null')
    else if (Array.isArray(value)) {
      parts.push('[')
      for (const [i, each] of value.entries()) {
        if (i > 0) parts.push(',')
        writeAny(each, parts)
      }
      parts.push(']')
    } else write(value, parts)
  }
  return writeAny
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value
