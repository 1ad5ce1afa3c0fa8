// The areas of the API, in the order in which one reads about them, and which operations belong to each.

type Area = { name: string; description: string; operations: readonly string[] }

export const areas: readonly Area[] = [
  {
    name: 'Brains',
    description: 'A Brain is one store of knowledge, with its own keys, schema, history and stream of events.',
    operations: ['brains', 'brain.access', 'brain.members', 'brain.hold', 'brain.release'],
  },
  {
    name: 'Records',
    description: 'Records are entities of a kind with fields and links. Every change makes a new version.',
    operations: ['brain.records', 'brain.dates'],
  },
  {
    name: 'Statements',
    description: 'Statements are claims about records, with their time of validity and their sources.',
    operations: ['brain.statements'],
  },
  {
    name: 'Documents',
    description: 'Documents are texts that can be found by words and meaning, and cited.',
    operations: ['brain.documents'],
  },
  {
    name: 'Batch',
    description: 'A batch is many operations that are applied together or not at all.',
    operations: ['brain.batch'],
  },
  {
    name: 'Snapshots',
    description: 'A snapshot is everything that a source has now. It is planned first and applied then.',
    operations: ['brain.snapshots'],
  },
  {
    name: 'Web pages',
    description: 'A web source is pages of the web that are documents, and that are fetched again at intervals.',
    operations: ['brain.webSources'],
  },
  {
    name: 'Skills',
    description: 'A skill is a folder of instructions for agents. Its files are documents of a Brain.',
    operations: ['brain.skills'],
  },
  {
    name: 'Bundles',
    description: 'A bundle is a part of a Brain as a folder of Markdown files, in the Open Knowledge Format.',
    operations: ['brain.bundle'],
  },
  {
    name: 'Changes',
    description: 'Every write is a change. If a Brain requires review, changes wait here for a decision.',
    operations: ['brain.changes', 'changes'],
  },
  {
    name: 'Schema',
    description: 'The schema says which kinds, fields and links records may have. It grows out of what is written.',
    operations: ['brain.schema', 'schemas'],
  },
  {
    name: 'Search',
    description:
      'Search finds passages, context gathers them for a model, and a query selects records by their fields.',
    operations: ['brain.search', 'brain.context', 'brain.query', 'brain.names'],
  },
  {
    name: 'Corpora',
    description: 'A corpus is a named set of Brains, or of parts of them, that are searched in one call.',
    operations: ['corpora'],
  },
  {
    name: 'Evals',
    description: 'An eval has cases with what is expected of an agent, a Brain or a corpus, and graders that decide.',
    operations: ['evals', 'evalRuns'],
  },
  {
    name: 'Goals',
    description:
      'A goal is tried by an agent in several runs, until graders say that it is met or its budget is used up.',
    operations: ['goals'],
  },
  {
    name: 'Durable steps',
    description:
      'A run of your own code stores each step once, so that code which is started again goes on where it stopped.',
    operations: ['flows'],
  },
  {
    name: 'Distillations',
    description: 'A distillation finds lessons and skills in the journals of runs, and stages them for review.',
    operations: ['distillations'],
  },
  {
    name: 'Derived pages',
    description: 'A derived page is a document that an agent writes again when its sources change.',
    operations: ['brain.derivedPages'],
  },
  {
    name: 'Rubrics',
    description: 'A rubric is a list of criteria by which a model judges answers.',
    operations: ['rubrics'],
  },
  {
    name: 'Receipts',
    description: 'A receipt says what was served to whom, and whether it has changed since.',
    operations: ['brain.receipts'],
  },
  {
    name: 'Events',
    description: 'Everything that happens to a Brain, in one order and without gaps, by page or as a live stream.',
    operations: ['brain.events'],
  },
  {
    name: 'Brain webhooks',
    description: 'Webhooks of a Brain deliver its events in order.',
    operations: ['brain.webhooks'],
  },
  {
    name: 'Brain keys',
    description: 'Keys that reach one Brain, with the capabilities that they were given.',
    operations: ['brain.keys'],
  },
  {
    name: 'Export and import',
    description: 'A Brain as a file, one JSON value per line.',
    operations: ['brain.export', 'brain.import'],
  },
  {
    name: 'Model Context Protocol',
    description: 'Tools for models, in JSON-RPC over streamable HTTP.',
    operations: ['brain.mcp', 'mcp'],
  },
  {
    name: 'Management keys',
    description: 'Keys that reach every Brain of an organization, and who is calling.',
    operations: ['keys', 'whoami'],
  },
  {
    name: 'Apps',
    description: 'Apps are programs that members let in through OAuth, without a key.',
    operations: ['apps'],
  },
  {
    name: 'Webhooks',
    description: 'Webhooks of an organization deliver what happens to its runs, tasks and knowledge.',
    operations: ['webhooks'],
  },
  {
    name: 'Agents',
    description: 'Agents are models with instructions, tools and Brains. Each change makes a new version.',
    operations: ['agents'],
  },
  {
    name: 'Runs',
    description: 'A run is one piece of work of an agent. It survives restarts and can be read as it happens.',
    operations: ['runs', 'sharedRuns'],
  },
  {
    name: 'Agents as models',
    description:
      "Agents for clients of OpenAI's API: models, chat completions and responses. Errors carry `type` and `param`, too.",
    operations: ['openai'],
  },
  { name: 'Tasks', description: 'A task is a question of a run to a person.', operations: ['tasks'] },
  {
    name: 'Conversations',
    description: 'Runs of one conversation see the messages of those before.',
    operations: ['conversations'],
  },
  { name: 'Projects', description: 'Projects group agents and runs.', operations: ['projects'] },
  {
    name: 'Automations',
    description: 'Triggers and schedules start runs: when records change, or at a time.',
    operations: ['triggers', 'schedules'],
  },
  {
    name: 'Files',
    description: 'Files of an organization at paths, with versions that never change.',
    operations: ['artifacts'],
  },
  {
    name: 'Connectors',
    description: 'A connector is an external MCP server whose tools agents may use.',
    operations: ['connectors'],
  },
  { name: 'Providers', description: 'A provider is an API that answers for models.', operations: ['providers'] },
  {
    name: 'Packs',
    description: 'A pack is a prepared schema with agents, triggers and sample content.',
    operations: ['packs'],
  },
  {
    name: 'Activity',
    description: 'The operations of runs, and the sums of each day.',
    operations: ['activity', 'activityDays', 'overview'],
  },
  {
    name: 'Notifications',
    description: 'News and open work of the members of an organization.',
    operations: ['notifications'],
  },
  {
    name: 'Organization and account',
    description: 'The audit log, the export of an organization, and the deletion of organizations and accounts.',
    operations: ['organization', 'account', 'audit'],
  },
  {
    name: 'Access requests',
    description: 'Requests for an account, by people without one.',
    operations: ['accessRequests'],
  },
  {
    name: 'Administration',
    description: 'For administrators of the whole service.',
    operations: ['admin'],
  },
  { name: 'Reference', description: 'This document.', operations: ['openapi'] },
]

/** The area of an operation. */
export const findArea = (operation: string): string | undefined =>
  areas.find(({ operations }) => operations.some((name) => operation === name || operation.startsWith(`${name}.`)))
    ?.name
