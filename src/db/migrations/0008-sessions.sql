-- Nonces of sign-ins that were not used yet.
create table sign_in_challenges (
  nonce text collate "C" primary key,
  expires_at timestamptz not null
);
create index sign_in_challenges_expires_at on sign_in_challenges (expires_at);

-- Open sessions of wallets. `token_hash` is the SHA-256 of the token, in base64url.
create table wallet_sessions (
  token_hash text collate "C" primary key,
  wallet text collate "C" not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  expires_at timestamptz not null
);
create index wallet_sessions_wallet on wallet_sessions (wallet, used_at);
create index wallet_sessions_used_at on wallet_sessions (used_at);
