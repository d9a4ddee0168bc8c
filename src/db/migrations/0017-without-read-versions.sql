-- Responses are not cached any more. While processes are replaced one by one, those of 0.1.0 must not
-- use what they have cached: no triggers tell them of changes now. Without any version, they read each
-- response. Drop the view in the release after the next.
drop table read_versions;
drop function record_read_version cascade;
create view read_versions as
  select null::text collate "C" as table_group, null::int8 as id, null::int8 as transaction_id where false;
