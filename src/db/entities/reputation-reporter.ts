import { defineEntity, p } from '@mikro-orm/core'
import { key, u64 } from './columns.ts'

const ReputationReporterSchema = defineEntity({
  name: 'ReputationReporter',
  tableName: 'reputation_reporters',
  properties: {
    pda: key().primary(),
    authority: key(),
    registeredBy: key(),
    label: p.text(),
    weight: p.smallint(),
    totalReports: u64(),
    active: p.boolean(),
    bump: p.smallint(),
    slot: p.bigint('number'),
  },
})

/** A key that may report behaviour. */
export class ReputationReporter extends ReputationReporterSchema.class {}

ReputationReporterSchema.setClass(ReputationReporter)
