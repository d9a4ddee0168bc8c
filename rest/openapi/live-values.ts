import type { Services } from '../../src/compose/services.ts'
import { ownerDid } from '../../src/domain/did.ts'
import { isDomainError } from '../../src/domain/errors.ts'
import { knownError } from '../../src/domain/known-error.ts'
import type { OpenApiDocument, Operation, Parameter } from './document.ts'

/** Values of the registry, for the examples of parameters. */
export interface LiveValues {
  readonly agent?: string
  readonly owner?: string
  readonly stake?: string
}

/** The newest agent and a stake account. Empty while the registry cannot be read. */
export async function readLiveValues({ agents, stakes }: Services): Promise<LiveValues> {
  try {
    const first = { first: 1 }
    const [[agent], [stake]] = await Promise.all([
      agents.listConnection(first).then(({ edges }) => edges),
      stakes.listConnection(first).then(({ edges }) => edges),
    ])
    return { agent: agent?.node.pda, owner: agent?.node.owner, stake: stake?.node.pda }
  } catch (error) {
    if (isDomainError(error) || knownError(error) !== null) return {}
    throw error
  }
}

/** The document with these values as examples of required parameters. */
export function withLiveValues(document: OpenApiDocument, values: LiveValues): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [
      method,
      withExamples(path, operation, values),
    ])
    return [path, Object.fromEntries(operations)]
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

function withExamples(path: string, operation: Operation, values: LiveValues): Operation {
  if (operation.parameters === undefined) return operation
  const parameters = operation.parameters.map((parameter) => {
    const value = liveValue(path, parameter, values)
    return value === undefined ? parameter : { ...parameter, example: value }
  })
  return { ...operation, parameters }
}

function liveValue(path: string, parameter: Parameter, values: LiveValues): string | undefined {
  if (parameter.required !== true) return undefined
  if (parameter.name === 'pda') return path.startsWith('/stakes/') ? values.stake : values.agent
  if (parameter.name === 'wallet') return values.owner
  if (parameter.name === 'did') return values.owner && ownerDid(values.owner)
  return undefined
}
