-- After a rotation, deliveries can have the signature of the replaced secret, too, until this time.
alter table webhook_subscriptions
  add column previous_secret_encrypted bytea,
  add column previous_secret_until timestamptz;
