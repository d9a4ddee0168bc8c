import type { Command } from 'commander'

interface CommandEntry {
  readonly description: string
  readonly load: () => Promise<() => Command>
}

/** The commands. Each is loaded only if it is used, so that help is fast. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  migrate: {
    description: 'apply the migrations that the database lacks (the service does this itself at start)',
    load: async () => (await import('./tables.ts')).migrateCommand,
  },
  audit: {
    description:
      'compare every registry account and event on the ledger with the tables, field by field, and the state of each agent with its last events; exits with 1 on a difference',
    load: async () => (await import('./tables.ts')).auditCommand,
  },
  rebuild: {
    description:
      'delete the projections of the ledger and fill them again; data that is not on the ledger stays',
    load: async () => (await import('./tables.ts')).rebuildCommand,
  },
  invite: {
    description: 'create, list and revoke codes for sponsored registrations',
    load: async () => (await import('./invite.ts')).inviteCommand,
  },
  operations: {
    description: 'documents of OPERATIONS_DIR, which become endpoints and tools',
    load: async () => (await import('./operations.ts')).operationsCommand,
  },
  keygen: {
    description: 'create a keypair file as the Solana CLI does; only you can read it',
    load: async () => (await import('./keygen.ts')).keygenCommand,
  },
  localnet: {
    description: 'run the local ledger without the gateway, or use a running one',
    load: async () => (await import('./localnet.ts')).localnetCommand,
  },
  registry: {
    description: 'set up and inspect the registry program on any ledger',
    load: async () => (await import('./registry/command.ts')).registryCommand,
  },
  webhooks: {
    description: 'show the state of webhooks, or send live events to a receiver on this machine',
    load: async () => (await import('./webhooks.ts')).webhooksCommand,
  },
  issuer: {
    description: 'manage the trusted issuers of credentials',
    load: async () => (await import('./issuer.ts')).issuerCommand,
  },
  credential: {
    description: 'credentials for trying out the service',
    load: async () => (await import('./credential.ts')).credentialCommand,
  },
  demo: {
    description:
      'show every main feature on a running localnet: sponsored registration, webhook, stake, DID and credential',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
}
