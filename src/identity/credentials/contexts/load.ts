import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import { sha256Hex } from '../../hash.ts'
import { PINNED_CONTEXTS, type PinnedContext } from './pinned.ts'
import { aliasProblems, contextProblems } from './rules.ts'

/** The JSON-LD contexts that credentials may use, by URL. Nothing is ever fetched. */
export type Contexts = ReadonlyMap<string, unknown>

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const MAX_FILE_BYTES = 262_144

/**
 * Reads the service's contexts and those of CREDENTIAL_CONTEXTS_DIR, whose `index.json` is an array
 * of `{ url, file, sha256 }`. Throws OperatorError with all problems.
 */
export function loadContexts(operatorFolder: string | null): Contexts {
  const problems: string[] = []
  const contexts = new Map<string, unknown>()
  for (const pinned of PINNED_CONTEXTS) add(contexts, FOLDER, pinned, problems)
  if (operatorFolder !== null) {
    for (const pinned of readIndex(operatorFolder, problems)) add(contexts, operatorFolder, pinned, problems)
  }
  problems.push(...aliasProblems(contexts))
  if (problems.length > 0) {
    const folder = operatorFolder === null ? '' : `CREDENTIAL_CONTEXTS_DIR ${operatorFolder}: `
    const list = problems.map((each) => `  - ${each}`).join('\n')
    throw new OperatorError(`${folder}the JSON-LD contexts cannot be used:\n${list}`)
  }
  return contexts
}

function readIndex(folder: string, problems: string[]): PinnedContext[] {
  const index = readJson(join(folder, 'index.json'), 'index.json', problems)
  if (index === undefined) return []
  if (!Array.isArray(index)) {
    problems.push('index.json must be an array of { url, file, sha256 }')
    return []
  }
  return index.filter((entry, i): entry is PinnedContext => {
    const problem = entryProblem(entry)
    if (problem !== null) problems.push(`index.json entry ${i + 1} ${problem}`)
    return problem === null
  })
}

function entryProblem(entry: unknown): string | null {
  const { url, file, sha256 } = (entry ?? {}) as Record<string, unknown>
  if (typeof url !== 'string' || !/^https:\/\/[^\s#]+$/.test(url) || !URL.canParse(url)) {
    return 'needs "url", an https URL without fragment'
  }
  if (typeof file !== 'string' || isAbsolute(file) || file.split(/[\\/]/).includes('..') || file === '') {
    return 'needs "file", a path inside the folder'
  }
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
    return 'needs "sha256", 64 lower-case hex digits'
  }
  return null
}

function add(
  contexts: Map<string, unknown>,
  folder: string,
  { url, file, sha256 }: PinnedContext,
  problems: string[],
): void {
  if (contexts.has(url)) problems.push(`${url} is defined twice`)
  const document = readJson(join(folder, file), file, problems, sha256)
  if (document === undefined) return
  problems.push(...contextProblems(document).map((problem) => `${file}: ${problem}`))
  contexts.set(url, document)
}

function readJson(path: string, file: string, problems: string[], sha256?: string): unknown {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > MAX_FILE_BYTES) throw new Error(`is larger than ${MAX_FILE_BYTES} bytes`)
    const actual = sha256Hex(bytes)
    if (sha256 !== undefined && actual !== sha256) {
      throw new Error(`has SHA-256 ${actual}, not the pinned ${sha256}`)
    }
    return JSON.parse(bytes.toString()) as unknown
  } catch (error) {
    problems.push(`${file} ${describe(error)}`)
    return undefined
  }
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'does not exist'
  if (code !== undefined) return `cannot be read (${code})`
  return error instanceof SyntaxError ? `is not JSON: ${message}` : message
}
