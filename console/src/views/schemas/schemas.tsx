import '../../styles/schema.css'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { TableSearch } from '../../components/table/use-table-search.tsx'
import { Time } from '../../components/time.tsx'
import { organizationSchemasQuery, type SchemaUse, schemaUseQuery } from '../../data/organization-schemas.ts'
import { useSession } from '../../session/session.tsx'

type Listed = { name: string; version: number; createdAt: string }

const toColumns = (used: readonly SchemaUse[] | undefined): readonly Column<Listed>[] => [
  {
    key: 'name',
    title: 'Schema',
    sort: ({ name }) => name,
    cell: ({ name }) => (
      <Link to="/settings/schemas/$name" params={{ name }}>
        {name}
      </Link>
    ),
  },
  {
    key: 'version',
    title: 'Version',
    width: 90,
    align: 'end',
    sort: ({ version }) => version,
    cell: ({ version }) => version,
  },
  {
    key: 'brains',
    title: 'Brains',
    isWide: true,
    cell: ({ name }) =>
      used
        ?.filter(({ schema }) => schema === name)
        .map(({ handle }) => handle)
        .join(', '),
  },
  {
    key: 'changed',
    title: 'Changed',
    width: 120,
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time iso={createdAt} />,
  },
]

const search: TableSearch<Listed> = { label: 'Search schemas', what: ['schema', 'schemas'], toText: ({ name }) => name }

const route = getRouteApi('/settings/schemas')

const NewSchema = ({ onClose }: { onClose: () => void }) => {
  const navigate = route.useNavigate()
  const form = useContractForm({
    initial: { name: '' },
    toBody: ({ name }) => name.trim(),
    submit: async (name) => {
      await navigate({ to: '/settings/schemas/$name', params: { name } })
    },
  })
  return (
    <Form form={form} submit="Continue" onCancel={onClose}>
      <form.Text
        label="Name"
        name="name"
        isMono
        required
        pattern="[a-z0-9][a-z0-9\-]{0,62}"
        title="1 to 63 of a-z, 0-9 and -, not beginning with -"
        autoComplete="off"
        hint="Brains name it when they are created. It cannot be changed later."
      />
    </Form>
  )
}

/** The schemas of the organization, and the Brains that were forked from them. */
export const Schemas = () => {
  const session = useSession()
  const [isMaking, setMaking] = useState(false)
  const { data, error, refetch } = useQuery(organizationSchemasQuery(session))
  const { data: use } = useQuery({ ...schemaUseQuery(session), enabled: (data?.length ?? 0) > 0 })
  const make = (
    <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
      New schema
    </Button>
  )
  return (
    <div className="stack">
      <PageHeader
        title="Schemas"
        lead="Kinds and fields that new Brains start with. A Brain keeps its own copy and shows what changed since."
        actions={make}
      />
      <DataTable
        label="Schemas"
        columns={toColumns(use?.used)}
        rows={data}
        search={search}
        toId={({ name }) => name}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No schemas yet" action={make}>
            Declare the kinds of records that several Brains share, once.
          </Empty>
        }
      />
      <Dialog isOpen={isMaking} title="New schema" size="small" onClose={() => setMaking(false)}>
        <NewSchema onClose={() => setMaking(false)} />
      </Dialog>
    </div>
  )
}
