-- Whether a conversation has a run that goes on is asked whenever one starts or ends in it.
create index runs_open_in_conversation on runs (organization_id, conversation_id, id)
  where conversation_id is not null and completed_at is null;
