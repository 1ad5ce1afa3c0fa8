import type { OrganizationContents } from '@noema/contracts/deletions.ts'
import { toAmount } from '../../plural.ts'

const names = {
  brains: 'Brains',
  records: 'Records',
  statements: 'Statements',
  documents: 'Documents',
  artifacts: 'Files',
  corpora: 'Corpora',
  evals: 'Evals',
  goals: 'Goals',
  managementKeys: 'Management keys',
  brainKeys: 'Brain keys',
  webhooks: 'Webhooks',
  agents: 'Agents',
  runs: 'Runs',
  openRuns: 'Runs in progress',
  triggers: 'Triggers',
  schedules: 'Schedules',
  conversations: 'Conversations',
  projects: 'Projects',
  connectors: 'Connectors',
  providers: 'Providers',
  packs: 'Packs',
  schemas: 'Schemas',
  members: 'Members',
  invitations: 'Invitations',
  auditEntries: 'Audit entries',
} as const satisfies Record<keyof OrganizationContents, string>

/** The service counts up to this number. */
const maxCounted = 100_000

const write = (count: number): string => (count >= maxCounted ? `${toAmount(maxCounted)} or more` : toAmount(count))

/** The contents that a deletion erases, without empty ones. */
export const Contents = ({ takes }: { takes: OrganizationContents }) => {
  const given = (Object.keys(names) as (keyof typeof names)[]).filter((name) => takes[name] > 0)
  return (
    <dl className="contents">
      {given.map((name) => (
        <div key={name}>
          <dt>{names[name]}</dt>
          <dd>{write(takes[name])}</dd>
        </div>
      ))}
    </dl>
  )
}
