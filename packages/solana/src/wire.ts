// What also runs in browsers. The client is published with it, so nothing here imports a package.
export * from './base58.ts'
export * from './byte-reader.ts'
export * from './bytes.ts'
export * from './compile-message.ts'
export * from './message.ts'
export * from './program-ids.ts'
export * from './pubkey.ts'
export * from './transaction.ts'
