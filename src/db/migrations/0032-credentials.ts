import { Migration } from '@mikro-orm/migrations'

/** Credentials attached to agents. What is off-chain cannot be rebuilt, so that it outlives the agent's row. */
export class Migration0032Credentials extends Migration {
  override up(): void {
    this.addSql(`
      create table agent_credentials (
        agent_pda text collate "C" not null,
        vc_hash text collate "C" not null,
        credential_url text not null,
        source text not null,
        type text not null,
        issuer text not null,
        valid_from timestamptz,
        valid_until timestamptz,
        verdict jsonb not null,
        document text not null,
        indexed_at timestamptz not null,
        primary key (agent_pda, vc_hash)
      )`)
  }
}
