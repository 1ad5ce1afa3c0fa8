// The descriptions of path parameters in the reference, by the segment in front of each.

const descriptions: Readonly<Record<string, string>> = {
  'access-requests': 'The id of the request.',
  agents: 'The id of the agent.',
  apps: 'The id of the app.',
  artifacts: 'The id of the file.',
  brains: 'The handle of the Brain.',
  changes: 'The id of the change.',
  connectors: 'The id of the connector.',
  corpora: 'The name of the corpus.',
  conversations: 'The id of the conversation.',
  deliveries: 'The id of the delivery.',
  documents: 'The id of the document.',
  grants: 'The id of the grant.',
  'invitation-codes': 'The invitation code.',
  keys: 'The id of the key.',
  mail: 'The id of the mail.',
  members: 'The id of the person, or their email address.',
  models: 'The name or the id of the agent.',
  organizations: 'The id of the organization.',
  packs: 'The name of the pack.',
  projects: 'The id of the project.',
  providers: 'The name of the provider.',
  receipts: 'The id of the receipt.',
  records: 'The id of the record.',
  responses: 'The id of the run.',
  runs: 'The id of the run.',
  schedules: 'The id of the schedule.',
  schemas: 'The name of the schema.',
  files: 'The path of the file inside the skill.',
  skills: 'The name of the skill.',
  snapshots: 'The id of the snapshot.',
  sources: 'The name of the source.',
  statements: 'The id of the statement.',
  tasks: 'The id of the task.',
  triggers: 'The id of the trigger.',
  webhooks: 'The id of the webhook.',
}

/** The description of a parameter of a path; undefined for a segment that has none yet. */
export const describeParameter = (path: string, name: string): string | undefined =>
  descriptions[path.split(`/{${name}}`)[0]?.split('/').at(-1) ?? '']
