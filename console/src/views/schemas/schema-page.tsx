import '../../styles/overview.css'
import '../../styles/records.css'
import '../../styles/schema.css'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { NotFoundError } from '@noema/sdk/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { Select } from '../../components/field.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { maxAskedBrains, organizationSchemaQuery, schemaUseQuery } from '../../data/organization-schemas.ts'
import { useSession } from '../../session/session.tsx'
import { SchemaEditor } from './schema-editor.tsx'

const route = getRouteApi('/settings/schemas/$name')

/** The Brains that were forked from the schema, and which of them started from an earlier version. */
const Brains = ({ name, version }: { name: string; version: number }) => {
  const { data, error } = useQuery(schemaUseQuery(useSession()))
  const used = data?.used.filter(({ schema }) => schema === name)
  return (
    <Panel title="Brains" isFlush>
      <FailureNotice error={error} />
      {!data && !error && <Skeleton lines={2} />}
      {used?.length === 0 && <p className="panel-empty">No Brain was forked from it.</p>}
      <ul className="panel-list">
        {used?.map(({ handle, version: from }) => (
          <li key={handle}>
            <Link to="/brains/$handle/schema" params={{ handle }}>
              {handle}
            </Link>
            <span className="muted">
              from version {from} {from < version && <Badge tone="warning">behind</Badge>}
            </span>
          </li>
        ))}
      </ul>
      {data?.hasMore && <p className="panel-empty">The first {maxAskedBrains} Brains were asked.</p>}
    </Panel>
  )
}

const VersionChoice = ({ shown, newest }: { shown: number; newest: number }) => {
  const navigate = route.useNavigate()
  const versions = Array.from({ length: newest }, (_, index) => String(newest - index))
  return (
    <Select
      label="Version"
      isLabelHidden
      options={versions.map((value) => ({ value, name: `Version ${value}` }))}
      value={String(shown)}
      onChange={(value) =>
        void navigate({ search: { version: Number(value) === newest ? undefined : Number(value) }, replace: true })
      }
    />
  )
}

const none: readonly SchemaKind[] = []

/** One schema of the organization: its kinds in a form and as JSON, its versions, and its Brains. */
export const OrganizationSchemaPage = () => {
  const session = useSession()
  const { name } = route.useParams()
  const { version } = route.useSearch()
  const newest = useQuery({ ...organizationSchemaQuery(session, name), retry: false })
  const earlier = useQuery({ ...organizationSchemaQuery(session, name, version), enabled: version !== undefined })
  const isNew = newest.error instanceof NotFoundError
  const shown = version === undefined ? newest : earlier
  const schema = shown.data
  return (
    <div className="stack">
      <PageHeader
        title={<code>{name}</code>}
        badges={
          isNew ? (
            <Badge>new</Badge>
          ) : (
            schema && (
              <span className="muted">
                <Time iso={schema.createdAt} />
              </span>
            )
          )
        }
        actions={newest.data && <VersionChoice shown={version ?? newest.data.version} newest={newest.data.version} />}
      />
      {!isNew && <FailureNotice error={shown.error} onRetry={() => void shown.refetch()} />}
      {!isNew && !schema && !shown.error && <Skeleton lines={10} />}
      {(isNew || schema) && (
        <SchemaEditor
          key={`${name} ${schema?.version}`}
          name={name}
          kinds={schema?.kinds ?? none}
          version={schema?.version}
          isEarlier={version !== undefined && version !== newest.data?.version}
        />
      )}
      {schema && newest.data && <Brains name={name} version={newest.data.version} />}
    </div>
  )
}
