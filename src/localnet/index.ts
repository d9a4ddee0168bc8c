export { startLocalnet, type Localnet } from './localnet.ts'
export type { GenesisOptions, LocalnetOptions } from './options.ts'
export type { ProgramDeployment } from './loader-accounts.ts'
export type { FaultControls } from './faults/fault-controls.ts'
