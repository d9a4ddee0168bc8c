import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { DomainError } from '../../src/domain/errors.ts'
import {
  PrepareRegisterAgentDocument,
  PrepareUpdateAgentDocument,
  PrepareSuspendAgentDocument,
  PrepareReactivateAgentDocument,
  PrepareDeactivateAgentDocument,
  PrepareCloseAgentDocument,
  PrepareCloseDeactivationRecordDocument,
  PrepareDepositDocument,
  PrepareRequestWithdrawalDocument,
  PrepareCancelWithdrawalDocument,
  PrepareCompleteWithdrawalDocument,
  PrepareCloseStakeDocument,
  type PreparedTransactionFieldsFragment,
} from '../generated/graphql.ts'
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

type Input = Readonly<Record<string, unknown>>
type Schema = ReturnType<typeof instructionSchema>

/** One route for each instruction of an agent's owner. */
export function registryInstructionRoutes(app: RestApp, operations: Operations): void {
  const route = <Variables extends { input: object }>(
    instruction: string,
    document: TypedDocumentNode<Record<string, PreparedTransactionFieldsFragment>, Variables>,
    schema: Schema,
  ): void => {
    const prepare = operations.run(document)
    app.post(`/relay/prepare/${instruction}`, { schema }, async (request) => {
      const input = withRequired(request.body, schema)
      const [prepared] = Object.values(await prepare(request, { input } as unknown as Variables))
      return toPrepared(prepared!)
    })
  }

  route(
    'register-agent',
    PrepareRegisterAgentDocument,
    instructionSchema('prepareRegisterAgent', 'Build the registration of an agent', registerAgentBody),
  )
  route(
    'update-agent',
    PrepareUpdateAgentDocument,
    instructionSchema('prepareUpdateAgent', 'Build an update of an agent’s metadata', updateAgentBody),
  )
  route(
    'suspend-agent',
    PrepareSuspendAgentDocument,
    instructionSchema('prepareSuspendAgent', 'Build the suspension of an agent', ownerBody),
  )
  route(
    'reactivate-agent',
    PrepareReactivateAgentDocument,
    instructionSchema('prepareReactivateAgent', 'Build the end of a suspension', ownerBody),
  )
  route(
    'deactivate-agent',
    PrepareDeactivateAgentDocument,
    instructionSchema('prepareDeactivateAgent', 'Build the permanent deactivation of an agent', ownerBody),
  )
  route(
    'close-agent',
    PrepareCloseAgentDocument,
    instructionSchema('prepareCloseAgent', 'Build the closing of a deactivated agent', ownerBody),
  )
  route(
    'close-deactivation-record',
    PrepareCloseDeactivationRecordDocument,
    instructionSchema(
      'prepareCloseDeactivationRecord',
      'Build the closing of a deactivation record',
      ownerBody,
    ),
  )
  route(
    'deposit',
    PrepareDepositDocument,
    instructionSchema('prepareDeposit', 'Build a deposit of stake', amountBody),
  )
  route(
    'request-withdrawal',
    PrepareRequestWithdrawalDocument,
    instructionSchema('prepareRequestWithdrawal', 'Build the request of a withdrawal', amountBody),
  )
  route(
    'cancel-withdrawal',
    PrepareCancelWithdrawalDocument,
    instructionSchema('prepareCancelWithdrawal', 'Build the cancellation of a withdrawal', ownerBody),
  )
  route(
    'complete-withdrawal',
    PrepareCompleteWithdrawalDocument,
    instructionSchema('prepareCompleteWithdrawal', 'Build the completion of a withdrawal', ownerBody),
  )
  route(
    'close-stake',
    PrepareCloseStakeDocument,
    instructionSchema('prepareCloseStake', 'Build the closing of an empty stake', ownerBody),
  )
}

/** Throws FIELD_REQUIRED. The input types of the operations have required fields, too. */
function withRequired(body: unknown, { body: { required = [] } }: { body: { required?: string[] } }): Input {
  const input = body as Input
  const missing = required.find((name) => input[name] === undefined)
  if (missing !== undefined) throw new DomainError('FIELD_REQUIRED', { parameter: missing })
  return input
}
