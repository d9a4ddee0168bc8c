-- What the issuer's status list said last: {"state", "checkedAt"}. Null if nothing is known.
alter table agent_credentials add column status jsonb;
