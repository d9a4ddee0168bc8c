-- Off-chain rows cannot be rebuilt, so a credential outlives its agent's row.
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
);

create table trusted_issuers (
  did text collate "C" primary key,
  allowed_types text[],
  pinned_keys jsonb,
  not_before timestamptz,
  not_after timestamptz,
  enabled boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint trusted_issuers_period check (not_before <= not_after)
);
