import type { ErrorKind } from './error-status.ts'

/**
 * Every `code` that an error of the API can carry, by its kind, with its meaning. An endpoint declares those of its operation
 * in `errors`; the reference shows them with these texts.
 */
export const errorCodes = {
  validation: {
    credential: 'The content has what looks like a credential, and this service refuses such content.',
    body_too_large: 'The body is larger than this endpoint accepts.',
    index_not_ready:
      'No index answers this condition: the field has none, it is still being built, or it does not know the operator.',
    record_too_large: 'The record would have more fields or bytes than a record may have.',
    schema_violation: 'The schema of the Brain does not allow what was sent.',
    snapshot_too_large: 'The snapshot would have too many items or characters. Split the source.',
    too_much_content: 'The request needs more stored content than one request may read or change. Split it.',
    file_encrypted: 'The file is encrypted, so no text can be extracted from it.',
    file_unreadable:
      'The file is broken, has no text, or needs more time, memory or characters than one extraction may use.',
    file_unsupported: 'No text can be extracted from a file of this type.',
    too_many_reminders: 'The dates of the record would need more reminders than a record or a Brain may have.',
  },
  forbidden: {
    MISSING_OR_NULL_ORIGIN: 'A session was sent without the `Origin` of a trusted site.',
    shared_runs_off: 'The operator of this service does not allow links to runs (NOEMA_SHARED_RUNS).',
    person_required: 'Only a person who is signed in may do this, not a key or a run.',
    self_review: 'This Brain requires that somebody other than the writer reviews a change.',
    session_not_fresh: 'This needs a recent sign-in. Sign in again and repeat the request.',
    wrong_password: 'The password is missing or wrong.',
  },
  not_found: {
    model_not_found: 'No agent has this name or id.',
  },
  conflict: {
    agent_archived: 'The agent is archived: it can be read, but neither run nor changed.',
    already_decided: 'This is decided already.',
    artifact_cap: 'The account keeps as many bytes of files as its tier allows. Delete some.',
    brain_cap: 'The account has as many Brains as its tier allows.',
    brain_held: 'A Brain has a hold: it can be read, but neither written nor deleted.',
    brain_not_empty: 'Only a Brain that was never written to can be imported into.',
    changed_since: 'An item of the change was written again since. Write the correct content instead.',
    conversation_active: 'A run of the conversation has not ended.',
    default_project: 'The default project cannot be deleted.',
    duplicates: 'A field cannot become unique, because records share values of it.',
    email_not_verified: 'The email address is not confirmed.',
    handle_taken: 'The handle cannot be used in this organization. Choose another one.',
    field_taken: 'Another record has this value of a unique field.',
    id_taken: 'Another statement has this id.',
    idempotency_key_reused: 'The idempotency key was used for a different request.',
    last_administrator: 'The account is the only administrator of the service.',
    last_manager: 'The member is the last manager of the Brain.',
    last_owner: 'The account is the last owner of an organization that has other members.',
    mail_not_retried: 'The mail cannot be sent again.',
    name_taken: 'Another connector has this name.',
    no_organization: 'The account has no organization of its own.',
    no_subject: 'The subject of the statement is not a record of this Brain, or has another kind.',
    not_applied: 'Only an applied change can be reverted.',
    not_restricted: 'The Brain is open to its organization, so it names no members.',
    not_open: 'The change is not in a state in which this can be done.',
    nothing_to_revert: 'Nothing of the change is left to revert.',
    organization_protected: 'An administrator owns the organization, so that only its owners may delete it.',
    project_archived: 'The project is archived and accepts nothing new.',
    record_merged: 'The record was merged into another one, which the message names. Write to that one.',
    kinds_differ: 'Only records of one kind can be merged. Change the kind of one first.',
    retire_guard: 'The plan retires more documents than the guard allows. Confirm it with `allowRetire`.',
    run_depth: 'Runs that start other runs are nested too deeply.',
    run_ended: 'The run has ended.',
    slug_taken: 'Another record of this kind has this slug.',
    snapshot_complete: 'The snapshot is complete and accepts no more items.',
    snapshot_finished: 'The snapshot is applied or needs no change.',
    source_conflict: 'Documents with these ids belong to other sources.',
    stale_cursor: 'The cursor does not belong to this list or stream as it is now. Begin again without it.',
    stale_plan: 'The plan has a newer revision. Review it and apply that one.',
    stale_schema: 'The schema has a newer version. Read it again.',
    stale_version: 'The item has another version than `If-Match` or the change expects. Read it again.',
    task_not_open: 'The task is answered, expired, or its run has ended.',
    not_previewable: 'The change cannot be read as if it were applied: the message says why.',
    too_many_agent_versions: 'The agent has as many versions as it may have.',
    too_many_agents: 'The organization has as many agents as it may have.',
    too_many_artifacts: 'The organization has as many versions of files as it may have. Delete some.',
    too_many_comments: 'The change has as many comments as it may have.',
    too_many_connectors: 'The organization has as many connectors as it may have.',
    eval_failed: 'The eval that the Brain requires fails with this change.',
    eval_pending: 'The eval that the Brain requires has no result for this change yet.',
    eval_stale: 'The items of the change were written to since the required eval was run. Run it again.',
    eval_unavailable: 'The eval that the Brain requires cannot be run.',
    eval_archived: 'The eval is archived: it can be read, but neither run nor changed.',
    too_many_evals: 'The organization has as many evals as it may have. Archive some.',
    too_many_eval_runs: 'The organization has as many unfinished runs of evals as it may have.',
    too_many_distillations: 'The organization has as many unfinished distillations as it may have.',
    too_many_derived_pages: 'The Brain has as many derived pages as it may have. Delete some.',
    wider_readers: 'The Brain has readers who cannot read all Brains of the runs. Send `allowWider` if they may.',
    too_many_eval_versions: 'The organization has as many versions of evals as it may have.',
    too_many_rubrics: 'The organization has as many versions of rubrics as it may have.',
    goal_ended: 'The goal has ended, or its budget is used up.',
    not_a_flow: 'The run is one of an agent: only a run of your own code has steps that you store.',
    too_many_steps: 'The run has as many steps, or as many characters of them, as it may have.',
    too_many_goals: 'The organization has as many goals that have not ended as it may have.',
    too_many_corpora: 'The organization has as many corpora as it may have.',
    too_many_conversations: 'The organization has as many conversations as it may have.',
    too_many_keys: 'There are as many active keys as there may be. Revoke some.',
    too_many_shares: 'The organization has as many links to runs as it may have. Revoke some.',
    too_many_members: 'The Brain names as many members as it may.',
    too_many_packs: 'The organization has as many packs, or as many bytes of them, as it may have. Delete some.',
    too_many_projects: 'The organization has as many projects as it may have.',
    too_many_providers: 'The organization has as many providers as it may have.',
    too_many_schedules: 'The organization has as many schedules as it may have.',
    too_many_schemas: 'The organization has as many schemas as it may have.',
    too_many_skills: 'The Brain has as many skills as it may have. Delete some.',
    too_many_triggers: 'The organization has as many triggers as it may have.',
    too_many_web_pages: 'The web source has as many pages as it may have.',
    too_many_web_sources: 'The Brain has as many web sources as it may have.',
    too_many_webhooks: 'There are as many webhooks as there may be.',
    unreadable_secret: 'A stored secret cannot be decrypted with the present key of the service. Store it again.',
    web_page_cap: 'The account has as many web pages as its tier allows.',
  },
  rate_limited: {
    brain_crowded: 'Too many calls are waiting for this Brain.',
    content_cap: 'The account has written as many bytes as its tier allows a day.',
    model_cap: "The account has spent as much by the operator's provider keys as its tier allows a day.",
    run_cap: 'The account has started as many runs as its tier allows a day.',
    too_many_bodies: 'The service is receiving as many large bodies as it may at once.',
    too_many_calls: 'Too many calls to this address are under way.',
    too_many_extractions: 'The text of as many files is being extracted as may be at once.',
    too_many_files: 'As many files are being sent or read as may be at once.',
    too_many_streams: 'As many streams are open as may be at once.',
    too_many_tests: 'As many tests are under way as may be at once.',
    too_many_transfers: 'As many exports and imports are under way as may be at once.',
    write_cap: 'The account has made as many writes as its tier allows a day.',
  },
  internal: {
    run_failed: 'The run of the agent failed or was cancelled.',
  },
  unavailable: {
    brain_busy: 'Another call is using this Brain for longer than usual.',
    extractor_unavailable: 'The service that extracts text did not respond, or responded with an error.',
    overloaded: 'The node has more requests than it can answer now.',
    run_unfinished: 'The run takes longer than a call may wait, and goes on.',
  },
} as const satisfies Partial<Record<ErrorKind, Readonly<Record<string, string>>>>

type Codes = typeof errorCodes

type CodesByKind = { [Kind in ErrorKind]: Kind extends keyof Codes ? keyof Codes[Kind] : never }

/** The codes that refine a kind of error. */
export type CodeOf<Kind extends ErrorKind> = CodesByKind[Kind]

/** A finer reason within a kind of error. */
export type ErrorCode = CodeOf<ErrorKind>

const kinds = new Map<string, ErrorKind>(
  Object.entries(errorCodes).flatMap(([kind, codes]) => Object.keys(codes).map((code) => [code, kind as ErrorKind])),
)

const meanings = new Map(Object.values(errorCodes).flatMap((codes) => Object.entries<string>(codes)))

/** The meaning of a code. */
export const describeCode = (code: ErrorCode): string => meanings.get(code) ?? ''

/** The kind of error that a code refines. */
export const findKind = (code: ErrorCode): ErrorKind | undefined => kinds.get(code)

// Groups of codes that several endpoints share in their `errors`.

/** Calls that wait for the lock of a Brain. */
export const lockErrors = ['brain_crowded', 'brain_busy'] as const

/** Writes to a Brain, and decisions about them. */
export const writeErrors = ['brain_held', 'write_cap', 'too_much_content', ...lockErrors] as const

/** Writes that add content. */
export const addErrors = [...writeErrors, 'content_cap', 'credential'] as const

/** Writes whose text is extracted from a file. */
export const extractionErrors = [
  'file_encrypted',
  'file_unreadable',
  'file_unsupported',
  'too_many_extractions',
  'too_many_files',
  'extractor_unavailable',
] as const

/** Writes of records. */
export const recordErrors = [
  ...addErrors,
  'record_too_large',
  'schema_violation',
  'too_many_reminders',
  'slug_taken',
  'field_taken',
  'record_merged',
] as const

/** Assertions of statements. */
export const statementErrors = [...addErrors, 'schema_violation', 'no_subject', 'id_taken'] as const

/** Writes of any content. */
export const contentErrors = [...recordErrors, ...statementErrors] as const

/** Changes of a Brain's schema. */
export const schemaErrors = [
  ...addErrors,
  'schema_violation',
  'too_many_reminders',
  'stale_schema',
  'duplicates',
] as const

/** Decisions that apply a change. */
export const decisionErrors = [...contentErrors, 'not_open', 'stale_schema', 'duplicates', 'self_review'] as const

/** Approvals in a Brain that requires an eval. */
export const gateErrors = ['eval_pending', 'eval_failed', 'eval_stale', 'eval_unavailable', 'person_required'] as const

/** Reads with a pending change. */
export const previewErrors = ['already_decided', 'not_previewable'] as const

/** Writes of agents. */
export const agentErrors = ['agent_archived', 'project_archived', 'too_many_agents', 'too_many_agent_versions'] as const

/** Writes of evals. */
export const evalErrors = ['eval_archived', 'too_many_evals', 'too_many_eval_versions'] as const

/** Actions for which people prove who they are. */
export const proofErrors = ['wrong_password', 'session_not_fresh'] as const

/** Test calls of addresses. */
export const testErrors = ['conflict', 'too_many_tests', 'too_many_calls'] as const
