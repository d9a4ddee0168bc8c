-- What signed the request of an attempt, for its owner to compare with what the receiver computes.
alter table webhook_attempts add column signed_headers text;
