import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { getOperationAST } from 'graphql'
import { DomainError } from '../../src/domain/errors.ts'
import * as documents from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import {
  amountBody,
  instructionSchema,
  ownerBody,
  registerAgentBody,
  updateAgentBody,
} from './registry-schemas.ts'
import { toPrepared } from './to-prepared.ts'

type Result = Record<string, documents.PreparedTransactionFieldsFragment>
/** An operation that prepares a transaction. Each has its own type of `input`. */
type PrepareDocument = TypedDocumentNode<Result, never>
type Body = Parameters<typeof instructionSchema>[2]

/** The instructions of an agent's owner. The names of operations give the paths. */
const INSTRUCTIONS: readonly (readonly [PrepareDocument, body: Body, summary: string])[] = [
  [documents.PrepareRegisterAgentDocument, registerAgentBody, 'Build the registration of an agent'],
  [documents.PrepareUpdateAgentDocument, updateAgentBody, 'Build an update of an agent’s metadata'],
  [documents.PrepareSuspendAgentDocument, ownerBody, 'Build the suspension of an agent'],
  [documents.PrepareReactivateAgentDocument, ownerBody, 'Build the end of a suspension'],
  [documents.PrepareDeactivateAgentDocument, ownerBody, 'Build the permanent deactivation of an agent'],
  [documents.PrepareCloseAgentDocument, ownerBody, 'Build the closing of a deactivated agent'],
  [documents.PrepareCloseDeactivationRecordDocument, ownerBody, 'Build the closing of a deactivation record'],
  [documents.PrepareDepositDocument, amountBody, 'Build a deposit of stake'],
  [documents.PrepareRequestWithdrawalDocument, amountBody, 'Build the request of a withdrawal'],
  [documents.PrepareCancelWithdrawalDocument, ownerBody, 'Build the cancellation of a withdrawal'],
  [documents.PrepareCompleteWithdrawalDocument, ownerBody, 'Build the completion of a withdrawal'],
  [documents.PrepareCloseStakeDocument, ownerBody, 'Build the closing of an empty stake'],
]

export function registryInstructionRoutes(app: RestApp, operations: Operations): void {
  for (const [document, body, summary] of INSTRUCTIONS) {
    const name = getOperationAST(document)!.name!.value.replace(/^Prepare/, '')
    const path = name.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()
    const schema = instructionSchema(`prepare${name}`, summary, body)
    const prepare = operations.run(document as TypedDocumentNode<Result, { input: object }>)
    app.post(`/relay/prepare/${path}`, { schema }, async (request) => {
      const [prepared] = Object.values(await prepare(request, { input: withRequired(request.body, body) }))
      return toPrepared(prepared!)
    })
  }
}

/** Throws FIELD_REQUIRED. The input types of the operations have required fields, too. */
function withRequired(given: object, { required = [] }: { required?: string[] }): object {
  const missing = required.find((name) => !Object.hasOwn(given, name))
  if (missing !== undefined) throw new DomainError('FIELD_REQUIRED', { parameter: missing })
  return given
}
