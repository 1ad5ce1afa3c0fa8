// The placement of each table when several servers have the database. A migration that creates a table adds it here.

/**
 * `brain`: with the Brain that its `brain_id` names, so that a call about one Brain needs one server. `organization`: with the
 * organization that leads its key. `everywhere`: a copy on every server, for small tables that rarely change. `coordinator`: on
 * the server that has everything else.
 */
type Placement = 'brain' | 'organization' | 'everywhere' | 'coordinator'

const tables: Record<Placement, readonly string[]> = {
  brain: [
    'answering_spaces',
    'brain_baselines',
    'brain_schemas',
    'brain_turns',
    'brain_webhook_deliveries',
    'brain_webhooks',
    'brains',
    'changes',
    'date_crossings',
    'document_versions',
    'emerged_structure',
    'events',
    'field_index',
    'field_index_work',
    'idempotency_answers',
    'pack_items',
    'passage_postings',
    'passage_progress',
    'passage_segments',
    'passage_vectors',
    'passages',
    'receipt_items',
    'receipts',
    'record_links',
    'record_versions',
    'run_brains',
    'snapshot_items',
    'snapshots',
    'statements',
    'triggers',
    'unsearchable_versions',
    'vector_progress',
  ],
  organization: [
    'agent_versions',
    'agents',
    'audit_entries',
    'connectors',
    'conversations',
    'notification_marks',
    'notification_readers',
    'notifications',
    'organization_schemas',
    'projects',
    'providers',
    'run_claims',
    'run_days',
    'run_messages',
    'run_operations',
    'run_parts',
    'run_quarters',
    'run_tasks',
    'runs',
    'schedules',
    'tool_schemas',
  ],
  everywhere: [
    'brain_directory',
    'brain_keys',
    'brain_members',
    'management_keys',
    'member',
    'organization',
    'restricted_brains',
    'user',
  ],
  coordinator: [
    'account',
    'admin_events',
    'auth_rate_limits',
    'erasures',
    'invitation',
    'invitation_codes',
    'last_backups',
    'mail_outbox',
    'nodes',
    'oauthAccessToken',
    'oauthClient',
    'oauthRefreshToken',
    'organization_deliveries',
    'organization_webhooks',
    'outbox',
    'passkey',
    'rate_buckets',
    'schema_migrations',
    'session',
    'shared_spending',
    'twoFactor',
    'vector_spaces',
    'verification',
  ],
}

/** The tables of a placement, by name. */
export const listTables = (placement: Placement): readonly string[] => tables[placement]

/** The placement of every table. */
export const placements: ReadonlyMap<string, Placement> = new Map(
  (Object.keys(tables) as Placement[]).flatMap((placement) => tables[placement].map((table) => [table, placement])),
)
