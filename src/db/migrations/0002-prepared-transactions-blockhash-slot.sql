-- A prepared transaction can only land after this slot. A slot is at least its block height, so the
-- height of the blockhash is a safe value for rows that exist already.
alter table prepared_transactions add column blockhash_slot bigint not null default 0;
update prepared_transactions set blockhash_slot = greatest(0, last_valid_block_height - 150);
alter table prepared_transactions alter column blockhash_slot drop default;
