const verbs = {
  organization: ['created', 'changed'],
  tier: ['set'],
  member: ['joined', 'changed', 'removed', 'left'],
  invitation: ['sent', 'cancelled'],
  account: [
    ...['address_confirmed', 'password_changed', 'sign_in_linked', 'sign_in_unlinked'],
    ...['two_factor_enabled', 'two_factor_disabled', 'passkey_added', 'passkey_removed'],
  ],
  key: ['minted', 'rotated', 'revoked'],
  app: ['connected', 'narrowed', 'revoked'],
  brain: [
    ...['created', 'changed', 'held', 'released', 'imported', 'deleted'],
    ...['access_changed', 'member_changed', 'member_removed', 'taken_over'],
  ],
  change: ['eval_overridden'],
  web_source: ['changed', 'deleted'],
  webhook: ['created', 'changed', 'rotated', 'rewound', 'deleted'],
  schema: ['stored'],
  corpus: ['stored', 'deleted'],
  derived_page: ['stored', 'deleted'],
  eval: ['created', 'changed', 'archived'],
  goal: ['created', 'changed', 'paused', 'resumed', 'abandoned'],
  rubric: ['stored', 'deleted'],
  pack: ['stored', 'deleted', 'installed'],
  project: ['created', 'changed', 'archived'],
  agent: ['created', 'changed', 'archived'],
  run: ['shared', 'unshared'],
  connector: ['created', 'changed', 'deleted'],
  provider: ['created', 'replaced', 'deleted'],
  artifact: ['stored', 'linked', 'deleted'],
  trigger: ['created', 'changed', 'deleted'],
  schedule: ['created', 'changed', 'deleted'],
} as const

/** All acts in groups. A test compares them with the API's own list. */
export const auditActions: readonly string[] = Object.entries(verbs).flatMap(([what, acts]) =>
  acts.map((act) => `${what}.${act}`),
)
