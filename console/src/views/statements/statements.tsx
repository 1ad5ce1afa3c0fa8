import type { Statement } from '@noema/contracts/statements.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import '../../styles/records.css'
import '../../styles/statements.css'
import { baseUrl } from '../../base-path.ts'
import { listCode } from '../../code/examples.ts'
import { Button } from '../../components/button.tsx'
import { Switch } from '../../components/choices.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { Empty } from '../../components/empty.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { TextFilter } from '../../components/text-filter.tsx'
import { Time } from '../../components/time.tsx'
import { toTablePages } from '../../data/paging.ts'
import { toCellText } from '../../data/record-text.ts'
import { recordQuery, type StatementFilter, statementPagesQuery } from '../../data/records.ts'
import { ItemLink } from '../../items/item-link.tsx'
import { ItemPicker } from '../../items/item-picker.tsx'
import { useSession } from '../../session/session.tsx'
import { RetractStatement } from '../statement/retract-statement.tsx'
import { describeConfidence, describeValidity } from '../statement/validity.ts'
import { AssertStatement } from './assert-statement.tsx'

const route = getRouteApi('/brains/$handle/statements')

/** Long values are cut in a cell. */
const maxCellText = 160

const ObjectCell = ({ handle, object }: { handle: string } & Pick<Statement, 'object'>) =>
  'record' in object ? (
    <ItemLink handle={handle} item={{ type: 'record', id: object.record.id }} />
  ) : (
    toCellText(object.value).slice(0, maxCellText)
  )

const toColumns = (handle: string, isRetracted: boolean): Column<Statement>[] => [
  {
    key: 'subject',
    title: 'Subject',
    cell: ({ subject: { id } }) => <ItemLink handle={handle} item={{ type: 'record', id }} />,
  },
  {
    key: 'predicate',
    title: 'Predicate',
    cell: ({ id, predicate }) => (
      <Link to="/brains/$handle/statements/$id" params={{ handle, id }} className="row-link">
        {predicate}
      </Link>
    ),
  },
  {
    key: 'object',
    title: 'Object',
    cell: ({ object }) => <ObjectCell handle={handle} object={object} />,
  },
  { key: 'valid', title: 'Valid', width: 190, isWide: true, cell: describeValidity },
  {
    key: 'confidence',
    title: 'Confidence',
    width: 112,
    align: 'end',
    isWide: true,
    cell: ({ confidence }) => confidence !== null && describeConfidence(confidence),
  },
  {
    key: 'sources',
    title: 'Sources',
    width: 76,
    align: 'end',
    isWide: true,
    cell: ({ sources }) => sources.length || '',
  },
  {
    key: 'when',
    title: isRetracted ? 'Retracted' : 'Asserted',
    width: 110,
    isWide: true,
    cell: ({ assertedAt, retractedAt }) => <Time iso={retractedAt ?? assertedAt} />,
  },
  ...(isRetracted
    ? []
    : [
        {
          key: 'retract',
          title: 'Actions',
          width: 110,
          isWide: true,
          cell: ({ id }: Statement) => <RetractStatement handle={handle} id={id} isQuiet />,
        } as const,
      ]),
]

const useFilter = () => {
  const filter = route.useSearch()
  const navigate = useNavigate({ from: '/brains/$handle/statements' })
  const change = (changes: StatementFilter) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true })
  return { filter, change }
}

type FilterProps = { handle: string; filter: StatementFilter; change: (changes: StatementFilter) => void }

const Filters = ({ handle, filter, change }: FilterProps) => {
  const { subject, predicate, object, retracted } = filter
  const isFiltered = subject !== undefined || predicate !== undefined || object !== undefined
  return (
    <div className="statement-filters">
      <ItemPicker
        handle={handle}
        type="record"
        label="Subject"
        isLabelHidden
        placeholder="Any subject"
        value={subject === undefined ? undefined : { id: subject, kind: undefined }}
        onChange={(item) => change({ subject: item?.id })}
      />
      <TextFilter
        label="Predicate"
        placeholder="Any predicate"
        submit="Filter"
        value={predicate}
        onSubmit={(text) => change({ predicate: text || undefined })}
      />
      <Switch
        label="Retracted"
        checked={retracted === true}
        onChange={(isOn) => change({ retracted: isOn || undefined })}
      />
      {object !== undefined && (
        <span className="muted">
          Object: <ItemLink handle={handle} item={{ type: 'record', id: object }} />
        </span>
      )}
      {isFiltered && (
        <Button
          size="small"
          tone="quiet"
          onClick={() => change({ subject: undefined, predicate: undefined, object: undefined })}
        >
          Show all
        </Button>
      )}
    </div>
  )
}

const NoStatements = ({ filter: { retracted, ...filter } }: { filter: StatementFilter }) => {
  if (Object.values(filter).some((value) => value !== undefined)) return <Empty title="No matching statements" />
  return (
    <Empty title={retracted ? 'No retracted statements' : 'No statements yet'}>
      <p>
        A statement is a claim about a record, such as “Ada works for Acme”: with its sources and the time it holds.
      </p>
    </Empty>
  )
}

/** The statements of a Brain by subject, predicate and object, live or retracted. */
export const StatementsPage = () => {
  const { handle } = route.useParams()
  const session = useSession()
  const { filter, change } = useFilter()
  const query = useInfiniteQuery(statementPagesQuery(session, handle, filter))
  const statements = useMemo(() => query.data?.pages.flatMap((page) => page.statements), [query.data])
  const columns = useMemo(() => toColumns(handle, filter.retracted === true), [handle, filter.retracted])
  const subject = useQuery({
    ...recordQuery(session, handle, filter.subject ?? ''),
    enabled: filter.subject !== undefined,
  }).data?.record
  const predicates = [...new Set(statements?.map(({ predicate }) => predicate))]
  const given = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return (
    <section aria-label="Statements" className="records">
      <div className="records-bar">
        <Filters handle={handle} filter={filter} change={change} />
        <AssertStatement
          {...{ handle, predicates }}
          subject={subject && { id: subject.id, kind: subject.kind }}
          predicate={filter.predicate}
        />
      </div>
      <DataTable
        label="Statements"
        columns={columns}
        rows={statements}
        toId={({ id }) => id}
        empty={<NoStatements filter={filter} />}
        {...toTablePages(query)}
      />
      <ViewAsCode example={listCode({ baseUrl, handle }, 'statements', Object.fromEntries(given))} />
    </section>
  )
}
