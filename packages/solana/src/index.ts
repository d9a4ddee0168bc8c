export * from './addresses.ts'
export * from './program-deployment.ts'
export * from './wire.ts'
