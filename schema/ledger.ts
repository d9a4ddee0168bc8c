import type { LedgerHead } from '../src/transactions/ledger-state.ts'
import { builder } from './builder.ts'
import { args, required } from './inputs.ts'
import { int, objectType, safeInt } from './columns.ts'

const LedgerRef = objectType<LedgerHead>(
  'Ledger',
  'The ledger at its newest confirmed block, as the node reports it.',
  {
    slot: safeInt('Slot of the block.'),
    blockHeight: safeInt(
      'Height of the block. A transaction can land while this is at most its `lastValidBlockHeight`.',
    ),
    epoch: safeInt('Epoch of the block.'),
  },
)

builder.objectField(LedgerRef, 'rentExemption', (t) =>
  t.field({
    type: 'U64',
    description:
      'Rent: the lamports that an account must hold. They come back when it is closed. From a cache of a few minutes.',
    extensions: { errors: ['INVALID_INTEGER', 'LEDGER_UNAVAILABLE'] },
    args: args({ bytes: required(int('Bytes of data of the account, 0 to 10,485,760.')) }),
    resolve: async (_, { bytes }, { services }) => String(await services.ledger.rentExemption(bytes)),
  }),
)

builder.objectField(LedgerRef, 'time', (t) =>
  t.field({
    type: 'DateTime',
    description: 'The clock of the ledger’s programs, by which cooldowns end. It can differ from yours.',
    extensions: { errors: ['LEDGER_UNAVAILABLE'] },
    resolve: (_, _args, { services }) => services.ledger.time(),
  }),
)

builder.queryField('ledger', (t) =>
  t.field({
    type: LedgerRef,
    extensions: { errors: ['LEDGER_UNAVAILABLE'] },
    description: 'Block height, time and rent of the ledger, at most a second old.',
    resolve: (_, _args, { services }) => services.ledger.head(),
  }),
)
