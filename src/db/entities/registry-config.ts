import { defineEntity, p } from '@mikro-orm/core'
import { key, u64Array } from './columns.ts'

const RegistryConfigSchema = defineEntity({
  name: 'RegistryConfig',
  tableName: 'registry_config',
  properties: {
    pda: key().primary(),
    admin: key(),
    usdcMint: key(),
    treasury: key(),
    tierThresholds: u64Array(),
    cooldownSeconds: p.bigint('number'),
    paused: p.boolean(),
    bump: p.smallint(),
    slot: p.bigint('number'),
  },
})

/** The registry's settings; thresholds in USDC base units. */
export class RegistryConfig extends RegistryConfigSchema.class {}

RegistryConfigSchema.setClass(RegistryConfig)
