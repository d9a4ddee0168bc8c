import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  extendSchema,
  type FragmentDefinitionNode,
  getDirectiveValues,
  type GraphQLDirective,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  Source,
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
  readonly exempt: boolean
  readonly anyQuery: boolean
  readonly bodyLimit?: number | null
}

/** The arguments of the directives of rest/. */
interface Directives {
  readonly rest: Rest
  readonly tool: Omit<Tool, 'name'> & { readonly name?: string | null }
  readonly body: object
  readonly model: { readonly name: string }
  readonly optional: object
  readonly as: { readonly name: string }
}

/** An error that shows the file and the line of an operation. */
export function mistake(problem: string, definition: OperationDefinitionNode): Error {
  const { value: name } = definition.name ?? { value: 'An operation without a name' }
  return new Error(new GraphQLError(`${name}: ${problem}`, { nodes: [definition] }).toString())
}

/** What `@tool` of an operation says. */
export interface Tool {
  /** Unique among all tools. */
  readonly name: string
  readonly title: string
  readonly effect: 'READ' | 'PREPARE' | 'ATTACH' | 'SEND'
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** An operation of rest/, as written. */
export interface Operation {
  readonly name: string
  readonly definition: OperationDefinitionNode
  readonly fragments: Fragments
  /** What runs: with its fragments, without descriptions and directives of rest/. */
  readonly document: DocumentNode
  /** The first paragraph of its description, and the others. */
  readonly summary: string
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
const OWN = new Set(
  directives.definitions.flatMap((each) =>
    each.kind === Kind.DIRECTIVE_DEFINITION ? [each.name.value] : [],
  ),
)

/** The values of a directive of rest/ on a node. Null if the node does not have it. */
export function directiveOf<Name extends keyof Directives>(
  name: Name,
  node: { readonly directives?: readonly DirectiveNode[] | undefined },
): Directives[Name] | null {
  const directive = extended.getDirective(name) as GraphQLDirective
  return (getDirectiveValues(directive, node) as Directives[Name] | undefined) ?? null
}

/** All operations of rest/, by name. Throws an error with file and line for a mistake in them. */
export const operations: ReadonlyMap<string, Operation> = load(
  globSync('*/*.graphql', { cwd: root })
    .toSorted()
    .map((file) => new Source(readFileSync(join(root, file), 'utf8'), `rest/${file}`)),
)

/** The operations of these files, which can also use the `shared` fragments. */
export function load(
  sources: readonly Source[],
  shared: Fragments = new Map(),
): ReadonlyMap<string, Operation> {
  const definitions = sources.flatMap((source) => parse(source).definitions)
  const fragments = new Map([...shared, ...fragmentsOf(definitions)])
  const loaded = definitions
    .filter((each) => each.kind === Kind.OPERATION_DEFINITION)
    .map((definition) => toOperation(definition, fragments))
  refuseRepeated(loaded, ({ name }) => name)
  refuseRepeated(loaded, ({ tool }) => tool && `tool ${tool.name}`)
  refuseRepeated(loaded, ({ rest }) => rest && `${rest.method} ${rest.path.replaceAll(/\{\w+\}/g, '{}')}`)
  return new Map(loaded.map((each) => [each.name, each]))
}

function refuseRepeated(all: readonly Operation[], keyOf: (operation: Operation) => string | null): void {
  const seen = new Set<string>()
  for (const each of all) {
    const key = keyOf(each)
    if (key !== null && seen.has(key)) throw mistake(`Another operation is ${key} already`, each.definition)
    if (key !== null) seen.add(key)
  }
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

function fragmentsOf(definitions: readonly DefinitionNode[]): [string, FragmentDefinitionNode][] {
  const found = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION)
  return found.map((each) => [each.name.value, each])
}

function toOperation(definition: OperationDefinitionNode, all: Fragments): Operation {
  const name = definition.name?.value ?? ''
  const fragments = usedFragments(definition, all)
  const written: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments.values()] }
  const [invalid] = validate(extended, written)
  if (invalid !== undefined) throw new Error(invalid.toString())
  const [summary = '', ...paragraphs] = (definition.description?.value ?? '').split('\n\n')
  const rest = directiveOf('rest', definition)
  const tool = directiveOf('tool', definition)
  if (rest !== null && summary === '')
    throw mistake('It needs a description, whose first line is the summary', definition)
  return {
    name,
    definition,
    fragments,
    document: withoutOwn(written),
    summary,
    description: paragraphs.join('\n\n').replaceAll(/(?<!\n)\n(?!\n)/g, ' '),
    rest,
    tool: tool && { ...tool, name: tool.name ?? snakeCase(name) },
    isOperators: false,
  }
}

function usedFragments(definition: OperationDefinitionNode, all: Fragments): Fragments {
  const used = new Map<string, FragmentDefinitionNode>()
  const find = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread: ({ name: { value: name } }) => {
        const fragment = all.get(name)
        // Validation reports a missing one.
        if (fragment === undefined || used.has(name)) return
        used.set(name, fragment)
        find(fragment)
      },
    })
  }
  find(definition)
  return used
}

function withoutOwn(document: DocumentNode): DocumentNode {
  const undescribed = { enter: <Node extends object>(node: Node) => ({ ...node, description: undefined }) }
  return visit(document, {
    Directive: (node: ConstDirectiveNode | DirectiveNode) => (OWN.has(node.name.value) ? null : undefined),
    OperationDefinition: undescribed,
    VariableDefinition: undescribed,
    FragmentDefinition: undescribed,
  })
}
