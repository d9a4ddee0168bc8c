import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ASTNode,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  extendSchema,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  getNamedType,
  TypeInfo,
  visitWithTypeInfo,
  type FragmentDefinitionNode,
  getDirectiveValues,
  getOperationAST,
  type GraphQLDirective,
  type GraphQLEnumType,
  GraphQLError,
  Kind,
  NoUnusedFragmentsRule,
  type OperationDefinitionNode,
  parse,
  separateOperations,
  Source,
  specifiedRules,
  validate,
  visit,
} from 'graphql'
import { schema } from '../../schema/index.ts'

/** What `@rest` of an operation says (rest/directives.graphql). */
export interface Rest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly tag: string
  readonly status: number
  readonly store: boolean
  readonly exempt?: 'OVERLOAD' | 'ALL' | null
  readonly anyQuery: boolean
  readonly bodyLimit?: number | null
}

interface Directives {
  readonly rest: Rest
  readonly tool: Omit<Tool, 'name'> & { readonly name?: string | null }
  readonly body: object
  readonly model: { readonly name: string }
  readonly optional: object
  readonly as: { readonly name: string }
}

/** An error that shows the file and the line of a node. */
export function mistake(problem: string, node: ASTNode): Error {
  const isOperation = node.kind === Kind.OPERATION_DEFINITION
  const text = isOperation ? `${node.name?.value ?? 'An operation'}: ${problem}` : problem
  // The first line of an operation is that of its description.
  const place = isOperation ? (node.name ?? node.selectionSet) : node
  return new Error(new GraphQLError(text, { nodes: [place] }).toString())
}

/** What `@tool` of an operation says. */
export interface Tool {
  /** Unique among all tools. */
  readonly name: string
  readonly title: string
  /** In place of the text of the operation or its field. */
  readonly description?: string | null
  readonly effect: 'READ' | 'PREPARE' | 'ATTACH' | 'SEND'
  readonly toolset: string
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** An operation of rest/, as written. */
export interface Operation {
  readonly name: string
  readonly definition: OperationDefinitionNode
  readonly fragments: Fragments
  /** What runs: with its fragments, without descriptions and directives of rest/. */
  readonly document: DocumentNode
  /** The first line of its description. */
  readonly summary: string
  /** The rest. Empty: that of its first field. */
  readonly description: string
  /** Null if the operation is no endpoint, or its route is written by hand. */
  readonly rest: Rest | null
  /** Null if the operation is no tool. */
  readonly tool: Tool | null
  /** Written by the operator. All its fields cost units, not only those of the root. */
  readonly isOperators: boolean
}

const root = join(import.meta.dirname, '..')
const directives = parse(readFileSync(join(root, 'directives.graphql'), 'utf8'))
const extended = extendSchema(schema, directives)
const DIRECTIVES = new Set(
  directives.definitions.flatMap((each) =>
    each.kind === Kind.DIRECTIVE_DEFINITION ? [each.name.value] : [],
  ),
)

/** The values of `toolset` of `@tool`. */
export const TOOLSETS = (extended.getType('Toolset') as GraphQLEnumType).getValues().map(({ name }) => name)

/** The values of a directive of rest/ on a node. Null if the node does not have it. */
export function directiveOf<Name extends keyof Directives>(
  name: Name,
  node: { readonly directives?: readonly DirectiveNode[] | undefined },
): Directives[Name] | null {
  const directive = extended.getDirective(name) as GraphQLDirective
  return (getDirectiveValues(directive, node) as Directives[Name] | undefined) ?? null
}

/** Operators need not use all fragments of rest/. */
const RULES = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule)

/** The operations of these files. They can use `shared` fragments, or replace them by their own. */
export function load(
  sources: readonly Source[],
  shared: Fragments = new Map(),
): ReadonlyMap<string, Operation> {
  const own = sources.flatMap(definitionsOf)
  const isReplaced = ({ name }: FragmentDefinitionNode): boolean =>
    own.some((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name.value)
  const others = Array.from(shared.values()).filter((each) => !isReplaced(each))
  const all: DocumentNode = { kind: Kind.DOCUMENT, definitions: [...others, ...own] }
  const [invalid] = validate(extended, all, RULES)
  if (invalid !== undefined) throw new Error(invalid.toString())
  const loaded = Object.values(separateOperations(all)).map(toOperation)
  refuseRepeated(loaded, 'name as a tool', ({ tool }) => tool && tool.name)
  refuseRepeated(
    loaded,
    'path',
    ({ rest }) => rest && `${rest.method} ${rest.path.replaceAll(/\{\w+\}/g, '{}')}`,
  )
  return new Map(loaded.map((each) => [each.name, each]))
}

function definitionsOf(source: Source): readonly DefinitionNode[] {
  try {
    return parse(source).definitions
  } catch (error) {
    // The message alone has no place.
    throw new Error(String(error), { cause: error })
  }
}

function refuseRepeated(
  all: readonly Operation[],
  property: string,
  keyOf: (operation: Operation) => string | null,
): void {
  const seen = new Map<string, string>()
  for (const each of all) {
    const key = keyOf(each)
    if (key === null) continue
    const other = seen.get(key)
    if (other !== undefined)
      throw mistake(`The operation ${other} has the same ${property}. Change one of them`, each.definition)
    seen.set(key, each.name)
  }
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

/** `written` is an operation with its fragments. */
function toOperation(written: DocumentNode): Operation {
  const definition = getOperationAST(written)!
  const name = definition.name?.value ?? ''
  const fragments = written.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION)
  const [summary = '', ...lines] = (definition.description?.value ?? '').split('\n')
  const rest = directiveOf('rest', definition)
  const given = directiveOf('tool', definition)
  const tool = given && { ...given, name: given.name ?? snakeCase(name) }
  const operation: Operation = {
    name,
    definition,
    fragments: new Map(fragments.map((each) => [each.name.value, each])),
    document: toRun(written, definition),
    summary,
    description: lines
      .join('\n')
      .trim()
      .replaceAll(/(?<!\n)\n(?!\n)/g, ' '),
    rest,
    tool,
    isOperators: false,
  }
  check(operation)
  return operation
}

const PATH = /^(?:\/(?:[\w~-][\w.~-]*|\{\w+\}))+$/
const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/
const MODEL_NAME = /^[A-Z]\w*$/

/** Checks what GraphQL allows, but URLs, OpenAPI or clients of MCP do not. */
function check({ name, definition, summary, rest, tool }: Operation): void {
  const refuse = (problem: string): never => {
    throw mistake(problem, definition)
  }
  if (!MODEL_NAME.test(name)) refuse('It needs a name that begins with an upper-case letter')
  if (rest !== null && !PATH.test(rest.path))
    refuse(`Its path must be made of /name and /{variable}, got ${rest.path}`)
  if (rest !== null && (rest.status < 200 || rest.status > 299))
    refuse(`Its status must be 200 to 299, got ${rest.status}`)
  if (rest !== null && summary === '') refuse('It needs a description, whose first line is the summary')
  if (tool !== null && !TOOL_NAME.test(tool.name))
    refuse(`The name of its tool must be snake_case, got ${tool.name}`)
  visit(definition, {
    Directive: (node) => {
      const model = node.name.value === 'model' ? node.arguments?.[0]?.value : undefined
      if (model?.kind === Kind.STRING && !MODEL_NAME.test(model.value))
        throw mistake(`The name of a model must be like AgentSummary, got ${model.value}`, node)
    },
  })
}

/**
 * The form that runs. The services refuse a request without a required value (schema/variants.ts),
 * so its variable can be null.
 */
function toRun(document: DocumentNode, definition: OperationDefinitionNode): DocumentNode {
  const targets = targetsOf(definition)
  const undescribed = { enter: <Node extends object>(node: Node) => ({ ...node, description: undefined }) }
  return visit(document, {
    Directive: (node: ConstDirectiveNode | DirectiveNode) =>
      DIRECTIVES.has(node.name.value) ? null : undefined,
    OperationDefinition: undescribed,
    VariableDefinition: {
      enter: (node) => {
        const isRequired = targets.get(node.variable.name.value)?.extensions.required === true
        const type = isRequired && node.type.kind === Kind.NON_NULL_TYPE ? node.type.type : node.type
        return { ...node, type, description: undefined }
      },
    },
    FragmentDefinition: undescribed,
  })
}

/** The argument, or the member of an input object, that each variable fills. */
export function targetsOf(
  definition: OperationDefinitionNode,
): Map<string, GraphQLArgument | GraphQLInputField> {
  const types = new TypeInfo(schema)
  const targets = new Map<string, GraphQLArgument | GraphQLInputField>()
  visit(
    definition,
    visitWithTypeInfo(types, {
      Variable: ({ name: { value: variable } }, _key, parent) => {
        if (parent === undefined || !('kind' in parent)) return
        if (parent.kind === Kind.ARGUMENT) targets.set(variable, types.getArgument()!)
        if (parent.kind === Kind.OBJECT_FIELD) {
          const input = getNamedType(types.getParentInputType()) as GraphQLInputObjectType
          targets.set(variable, input.getFields()[parent.name.value]!)
        }
      },
    }),
  )
  return targets
}

/** All operations of rest/, by name. Throws an error with file and line for a mistake in them. */
export const operations: ReadonlyMap<string, Operation> = load(
  globSync('*/*.graphql', { cwd: root })
    .toSorted()
    .map((file) => new Source(readFileSync(join(root, file), 'utf8'), `rest/${file}`)),
)
