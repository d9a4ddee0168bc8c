import { CLOCK_SYSVAR, type Pubkey } from '@agent-registry/solana'
import type { Account, AccountReader } from '../../vm/account.ts'
import { DataReader, NotParsableError } from '../data-reader.ts'

type Parser = (reader: DataReader) => { type: string; info: object }

const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  [
    CLOCK_SYSVAR,
    ({ u64, i64 }) => {
      const [slot, epochStartTimestamp, epoch, leaderScheduleEpoch] = [u64(), i64(), u64(), u64()]
      const info = { slot, epoch, epochStartTimestamp, leaderScheduleEpoch, unixTimestamp: i64() }
      return { type: 'clock', info }
    },
  ],
  [
    'SysvarRent111111111111111111111111111111111',
    ({ u64, f64, u8 }) => {
      const info = { lamportsPerByteYear: u64().toString(), exemptionThreshold: f64(), burnPercent: u8() }
      return { type: 'rent', info }
    },
  ],
  [
    'SysvarEpochSchedu1e111111111111111111111111',
    ({ u64, u8 }) => ({
      type: 'epochSchedule',
      info: {
        slotsPerEpoch: u64(),
        leaderScheduleSlotOffset: u64(),
        warmup: u8() === 1,
        firstNormalEpoch: u64(),
        firstNormalSlot: u64(),
      },
    }),
  ],
  [
    'SysvarS1otHashes111111111111111111111111111',
    (reader) => {
      const length = Number(reader.u64())
      const entries = new DataReader(reader.take(40 * length))
      return { type: 'slotHashes', info: entries.list(() => ({ slot: entries.u64(), hash: entries.key() })) }
    },
  ],
  [
    'SysvarRecentB1ockHashes11111111111111111111',
    (reader) => {
      const length = Number(reader.u64())
      const entries = new DataReader(reader.take(40 * length))
      const entry = () => ({
        blockhash: entries.key(),
        feeCalculator: { lamportsPerSignature: entries.u64().toString() },
      })
      return { type: 'recentBlockhashes', info: entries.list(entry) }
    },
  ],
  [
    'SysvarLastRestartS1ot1111111111111111111111',
    ({ u64 }) => ({ type: 'lastRestartSlot', info: { lastRestartSlot: u64() } }),
  ],
])

/** Parses a sysvar. Stake history, slot history and epoch rewards are not parsed. */
export function parseSysvar({ data }: Account, _read: AccountReader, key: Pubkey): object {
  const parse = PARSERS.get(key)
  if (parse === undefined) throw new NotParsableError('unknown sysvar')
  return parse(new DataReader(data))
}
