-- What signed the request of an attempt, so that its owner can compare it with what the receiver computes.
alter table webhook_attempts add column signed_headers text;
