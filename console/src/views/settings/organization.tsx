import { useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { organizationQuery } from '../../data/organization.ts'
import { useSession } from '../../session/session.tsx'
import { LimitsPanel } from './limits-panel.tsx'
import { OrganizationEnd } from './organization-end.tsx'
import { OrganizationExport } from './organization-export.tsx'
import { OrganizationFacts } from './organization-facts.tsx'
import { OrganizationList } from './organization-list.tsx'

/** The settings of the organization: facts, limits, the person's other organizations, export and deletion. */
export const OrganizationPage = () => {
  const session = useSession()
  const { data, error, refetch } = useQuery(organizationQuery(session))
  return (
    <div className="page">
      <PageHeader title={session.organization.name} />
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && (
        <div className="columns">
          <div className="stack">
            <OrganizationFacts organization={data} />
            <OrganizationList />
            <OrganizationExport role={data.role} />
          </div>
          <div className="stack">
            <LimitsPanel limits={data.limits} />
            <OrganizationEnd role={data.role} />
          </div>
        </div>
      )}
    </div>
  )
}
