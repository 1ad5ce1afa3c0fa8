import { z } from 'zod'
import { type Settings, type ValuesOf, wholeNumber } from './setting.ts'

/** Settings of how much organizations and Brains may have, how long it is kept, and how long work may take. */
export const limitSettings = {
  NOEMA_MAX_KEYS: {
    schema: wholeNumber(1, 1_000_000_000).default(1_000),
    about: 'Keys that work, neither revoked nor expired: management keys of one organization, and keys of one Brain.',
    example: '1000',
  },
  NOEMA_MAX_RECORD_FIELDS: {
    schema: wholeNumber(1, 1_000_000).default(5_000),
    about:
      'Fields of one record. Records that have more already can still be read, exported, replaced and deleted, but not patched beyond this.',
    example: '5000',
  },
  NOEMA_MAX_RECORD_BYTES: {
    schema: wholeNumber(1_024, 16 * 1024 * 1024).default(1024 * 1024),
    about:
      'Bytes of one record as JSON. Records that have more already can still be read, exported, replaced and deleted, but not patched beyond this.',
    example: '1048576',
  },
  NOEMA_MAX_SCHEMAS: {
    schema: wholeNumber(1, 1_000_000_000).default(1_000),
    about: 'Versions of organization schemas of one organization.',
    example: '1000',
  },
  NOEMA_MAX_CORPORA: {
    schema: wholeNumber(0, 1_000_000).default(1_000),
    about: 'Corpora of one organization.',
    example: '1000',
  },
  NOEMA_MAX_EVALS: {
    schema: wholeNumber(0, 1_000_000).default(200),
    about: 'Evals of one organization that are not archived.',
    example: '200',
  },
  NOEMA_MAX_EVAL_VERSIONS: {
    schema: wholeNumber(1, 1_000_000_000).default(2_000),
    about: 'Versions of all evals of one organization, including archived ones, and of its rubrics.',
    example: '2000',
  },
  NOEMA_MAX_EVAL_RUNS: {
    schema: wholeNumber(1, 1_000_000).default(10),
    about: 'Unfinished runs of evals of one organization.',
    example: '10',
  },
  NOEMA_MAX_GOALS: {
    schema: wholeNumber(0, 1_000_000).default(100),
    about: 'Goals of one organization that have not ended.',
    example: '100',
  },
  NOEMA_MAX_RUN_SHARES: {
    schema: wholeNumber(0, 1_000_000).default(1_000),
    about: 'Links to runs of one organization that work at once.',
    example: '1000',
  },
  NOEMA_MAX_BRAIN_WEBHOOKS: {
    schema: wholeNumber(0, 1_000_000).default(25),
    about: 'Webhooks of one Brain.',
    example: '25',
  },
  NOEMA_MAX_ORGANIZATION_WEBHOOKS: {
    schema: wholeNumber(0, 1_000_000).default(100),
    about: 'Webhooks of one organization, not counting those of its Brains.',
    example: '100',
  },
  NOEMA_MAX_RECEIPTS: {
    schema: wholeNumber(1, 1_000_000_000_000).default(10_000_000),
    about:
      'Receipts that one Brain keeps, or fewer by the tier of its organization. About once an hour, the oldest ones above this number are deleted.',
    example: '10000000',
  },
  NOEMA_RECEIPT_DAYS: {
    schema: wholeNumber(1, 100_000).optional(),
    about:
      'Days for which receipts are kept, within NOEMA_MAX_RECEIPTS. When unset, they are kept as long as their Brain.',
    example: '400',
  },
  NOEMA_TRANSFER_MINUTES: {
    schema: wholeNumber(1, 100_000).default(120),
    about: 'Minutes that one export, import, upload or download may take.',
    example: '120',
  },
  NOEMA_IMPORT_LINE_SECONDS: {
    schema: wholeNumber(1, 86_400).default(60),
    about:
      'Seconds within which an import must send its next complete line, and an upload its next 256 KiB. Otherwise it fails and keeps nothing.',
    example: '60',
  },
  NOEMA_MAX_PROJECTS: {
    schema: wholeNumber(1, 1_000_000_000).default(1_000),
    about: 'Projects of one organization, including archived ones.',
    example: '1000',
  },
  NOEMA_MAX_AGENTS: {
    schema: wholeNumber(1, 1_000_000_000).default(1_000),
    about: 'Agents of one organization that are not archived.',
    example: '1000',
  },
  NOEMA_MAX_AGENT_VERSIONS: {
    schema: wholeNumber(1, 1_000_000_000).default(10_000),
    about: 'Versions of all agents of one organization, including archived ones.',
    example: '10000',
  },
  NOEMA_MAX_CONVERSATIONS: {
    schema: wholeNumber(1, 1_000_000_000).default(100_000),
    about: 'Conversations of one organization.',
    example: '100000',
  },
  NOEMA_MAX_TRIGGERS: {
    schema: wholeNumber(1, 10_000).default(200),
    about: 'Triggers of one organization.',
    example: '200',
  },
  NOEMA_TRIGGER_RATE: {
    schema: wholeNumber(1, 10_000).default(5),
    about: 'Runs that one trigger starts in a second. It works through a burst of events at this rate.',
    example: '5',
  },
  NOEMA_MAX_TRIGGER_RUNS: {
    schema: wholeNumber(1, 1_000_000).default(20),
    about: 'Unfinished runs of one trigger. It starts the next one when one of them finishes.',
    example: '20',
  },
  NOEMA_MAX_SCHEDULES: {
    schema: wholeNumber(1, 1_000_000).default(500),
    about: 'Schedules of one organization.',
    example: '500',
  },
  NOEMA_SCHEDULE_MINUTES: {
    schema: wholeNumber(1, 1_440).default(1),
    about: 'Minimum number of minutes between two runs of one schedule.',
    example: '1',
  },
  NOEMA_MAX_ARTIFACTS: {
    schema: wholeNumber(1, 1_000_000_000).default(100_000),
    about: 'Versions of all files of one organization.',
    example: '100000',
  },
  NOEMA_CREDENTIALS: {
    schema: z.enum(['flag', 'refuse']).default('flag'),
    about:
      'What happens to writes with what looks like a credential, such as an API key: `flag` warns in the change, `refuse` answers 400 and stores nothing.',
    example: 'flag',
  },
  NOEMA_RUN_DAYS: {
    schema: wholeNumber(1, 100_000).default(90),
    about: 'Days for which finished runs are kept, with their journals, messages and streams.',
    example: '90',
  },
  NOEMA_CONNECTOR_SECONDS: {
    schema: wholeNumber(1, 3_600).default(120),
    about: 'Seconds that one call of a connector may take.',
    example: '120',
  },
  NOEMA_MODEL_SECONDS: {
    schema: wholeNumber(1, 86_400).default(1_800),
    about: 'Seconds that one call of a language model may take.',
    example: '1800',
  },
  NOEMA_MODEL_IDLE_SECONDS: {
    schema: wholeNumber(1, 86_400).default(300),
    about: 'Seconds without any output after which a call of a language model is canceled.',
    example: '300',
  },
} as const satisfies Settings

export const readLimits = (values: ValuesOf<typeof limitSettings>) => ({
  /** Keys of an organization, and of a Brain. */
  keys: values.NOEMA_MAX_KEYS,
  /** Fields and bytes of one record. */
  records: { maxFields: values.NOEMA_MAX_RECORD_FIELDS, maxBytes: values.NOEMA_MAX_RECORD_BYTES },
  /** Versions of organization schemas. */
  schemas: values.NOEMA_MAX_SCHEMAS,
  corpora: values.NOEMA_MAX_CORPORA,
  /** Evals, versions and unfinished runs of an organization. */
  evals: {
    max: values.NOEMA_MAX_EVALS,
    maxVersions: values.NOEMA_MAX_EVAL_VERSIONS,
    maxRuns: values.NOEMA_MAX_EVAL_RUNS,
  },
  goals: { max: values.NOEMA_MAX_GOALS },
  runShares: values.NOEMA_MAX_RUN_SHARES,
  webhooks: { brain: values.NOEMA_MAX_BRAIN_WEBHOOKS, organization: values.NOEMA_MAX_ORGANIZATION_WEBHOOKS },
  /** Without a number of days, receipts are kept as long as their Brain. */
  receipts: { days: values.NOEMA_RECEIPT_DAYS },
  transfers: { maxMinutes: values.NOEMA_TRANSFER_MINUTES, maxLineSeconds: values.NOEMA_IMPORT_LINE_SECONDS },
  /** Versions of all files of an organization. */
  artifacts: values.NOEMA_MAX_ARTIFACTS,
  /** True if writes with credentials are refused. */
  refusesCredentials: values.NOEMA_CREDENTIALS === 'refuse',
  projects: values.NOEMA_MAX_PROJECTS,
  agents: { max: values.NOEMA_MAX_AGENTS, maxVersions: values.NOEMA_MAX_AGENT_VERSIONS },
  conversations: values.NOEMA_MAX_CONVERSATIONS,
  /** Triggers of an organization, the runs that one starts in a second, and its unfinished runs. */
  triggers: {
    max: values.NOEMA_MAX_TRIGGERS,
    perSecond: values.NOEMA_TRIGGER_RATE,
    maxOpen: values.NOEMA_MAX_TRIGGER_RUNS,
  },
  schedules: { max: values.NOEMA_MAX_SCHEDULES, minMinutes: values.NOEMA_SCHEDULE_MINUTES },
  /** The number of days for which finished runs are kept. */
  runs: { days: values.NOEMA_RUN_DAYS },
  connectorCalls: { seconds: values.NOEMA_CONNECTOR_SECONDS },
  modelCalls: { totalSeconds: values.NOEMA_MODEL_SECONDS, idleSeconds: values.NOEMA_MODEL_IDLE_SECONDS },
})
