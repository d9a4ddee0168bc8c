-- The time and the signatures of a request, for its owner to compare with what the receiver computes.
alter table webhook_attempts add column signatures text;
