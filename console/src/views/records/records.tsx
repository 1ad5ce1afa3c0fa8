import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaField, SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { baseUrl } from '../../base-path.ts'
import { toTablePages } from '../../data/paging.ts'
import '../../styles/records.css'
import { listCode } from '../../code/examples.ts'
import { Button } from '../../components/button.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { Empty } from '../../components/empty.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { ServedSorting } from '../../components/table/sorting.ts'
import { Time } from '../../components/time.tsx'
import { describeFilter, listFilterable, toFilter, toWhereText } from '../../data/record-filter.ts'
import { listSortable, toSortedWhere } from '../../data/record-sort.ts'
import { toCellText, toRecordName } from '../../data/record-text.ts'
import type { RecordsSearch } from '../../data/records-search.ts'
import { emergedQuery, schemaQuery } from '../../data/schema.ts'
import { BrainCount } from '../../items/brain-count.tsx'
import { FoundItems, ItemSearchBox } from '../../search/found-items.tsx'
import { useSession } from '../../session/session.tsx'
import { ColumnChoice } from './column-choice.tsx'
import { chooseColumns, type FieldColumn, listFieldColumns } from './columns.ts'
import { FilterBar } from './filter-bar.tsx'
import { NewRecord } from './new-record.tsx'
import { RecordCount } from './record-count.tsx'
import { RecordDrawer } from './record-drawer.tsx'
import { useRecordList } from './use-record-list.ts'

const route = getRouteApi('/brains/$handle/records')

/** Long texts are cut in a cell. */
const maxCellText = 160

/** The column that is sorted by id. */
const nameKey = ' name'

const toColumns = (handle: string, fields: readonly FieldColumn[], hasKind: boolean): Column<BrainRecord>[] => [
  {
    key: nameKey,
    title: 'Record',
    width: 230,
    cell: (record) => (
      <Link to="/brains/$handle/records/$id" params={{ handle, id: record.id }} className="row-link" title={record.id}>
        {toRecordName(record)}
      </Link>
    ),
  },
  ...(hasKind ? [{ key: ' kind', title: 'Kind', width: 110, cell: ({ kind }: BrainRecord) => kind }] : []),
  ...fields.map(
    ({ name, isNumber }): Column<BrainRecord> => ({
      key: name,
      title: name,
      isWide: true,
      ...(isNumber && { align: 'end', width: 96 }),
      cell: ({ fields: { [name]: value } }) => toCellText(value).slice(0, maxCellText),
    }),
  ),
  { key: ' updated', title: 'Updated', width: 104, isWide: true, cell: ({ updatedAt }) => <Time iso={updatedAt} /> },
]

type KindTabsProps = { handle: string; kinds: readonly string[]; kind: string | undefined }

/** Links to all records or to those of one kind, without the filters that apply to another kind only. */
const KindTabs = ({ handle, kinds, kind }: KindTabsProps) => (
  <nav className="kind-tabs" aria-label="Kinds">
    {[undefined, ...kinds].map((one) => (
      <Link
        key={one ?? ' all'}
        to="/brains/$handle/records"
        params={{ handle }}
        search={{ kind: one }}
        className="kind-tab"
        activeOptions={{ exact: true, explicitUndefined: true }}
        aria-current={one === kind ? 'page' : undefined}
      >
        {one ?? 'All'}
      </Link>
    ))}
  </nav>
)

/** All kinds: those that the schema declares, and those that only records have. */
const useKinds = (handle: string) => {
  const session = useSession()
  const schema = useQuery(schemaQuery(session, handle))
  const emerged = useInfiniteQuery(emergedQuery(session, handle))
  return useMemo(() => {
    const declared = schema.data?.schema.kinds ?? []
    const others = emerged.data?.pages
      .flatMap((page) => page.emerged)
      .flatMap(({ kind, field }) => (field === null ? kind : []))
    const names = [...new Set([...declared.map(({ kind }) => kind), ...(others ?? [])])]
    return { declared, names, isSchemaKnown: !schema.isPending }
  }, [schema.data, schema.isPending, emerged.data])
}

const useSearchChange = () => {
  const navigate = useNavigate({ from: '/brains/$handle/records' })
  return useCallback(
    (changes: RecordsSearch) => void navigate({ search: (before) => ({ ...before, ...changes }), replace: true }),
    [navigate],
  )
}

/** The filters other than kind and fields, with a link that removes them. */
const Narrowed = ({ handle, search }: { handle: string; search: RecordsSearch }) => {
  const description = describeFilter(toFilter(search))
  if (description === undefined) return null
  return (
    <p className="narrowed">
      {description}.{' '}
      <Link to="/brains/$handle/records" params={{ handle }} search={{ kind: search.kind }}>
        Show all
      </Link>
    </p>
  )
}

const NothingHere = ({ search }: { search: RecordsSearch }) =>
  toFilter(search).where === undefined && search.linksTo === undefined ? (
    <Empty title={search.kind === undefined ? 'No records yet' : `No record of the kind ${search.kind}`}>
      <p>A record is an entity with fields: a person, a project, an invoice. Agents write them, and so can you.</p>
    </Empty>
  ) : (
    <Empty title="No matching records" />
  )

/** The order of the list: by id, or by an indexed field of its kind. */
const useOrder = (search: RecordsSearch, kind: SchemaKind | undefined) => {
  const change = useSearchChange()
  const sortable = useMemo(() => listSortable(kind, toFilter(search)), [kind, search])
  const field = sortable.find(({ name }) => name === search.sort)
  const served: ServedSorting = {
    keys: [nameKey, ...sortable.map(({ name }) => name)],
    sorting: { key: field?.name ?? nameKey, isDescending: search.order === 'desc' },
    onSort: (next) =>
      change({
        sort: next === undefined || next.key === nameKey ? undefined : next.key,
        order: next?.isDescending ? 'desc' : undefined,
      }),
  }
  return { field, served }
}

type RecordTableProps = {
  served: ServedSorting
  list: ReturnType<typeof useRecordList>
  columns: readonly Column<BrainRecord>[]
  search: RecordsSearch
  onOpen: (id: string) => void
}

const toId = ({ id }: BrainRecord): string => id

const RecordTable = ({ list: { query, records }, columns, search, served, onOpen }: RecordTableProps) => (
  <DataTable
    label="Records"
    columns={columns}
    rows={query.data && records}
    served={served}
    toId={toId}
    empty={<NothingHere search={search} />}
    {...toTablePages(query)}
    onOpen={({ id }) => onOpen(id)}
  />
)

/** The available and the shown columns (fewer next to an open record), and the fields to filter by. */
const useColumns = (
  handle: string,
  { search, kind, sample }: { search: RecordsSearch; kind: SchemaKind | undefined; sample: readonly BrainRecord[] },
) => {
  const fields = useMemo(() => listFieldColumns(kind, sample), [kind, sample])
  const shown = useMemo(() => chooseColumns(fields, search.columns), [fields, search.columns])
  const isNarrow = search.record !== undefined
  const hasKind = search.kind === undefined
  const columns = useMemo(
    () => toColumns(handle, isNarrow ? shown.slice(0, 2) : shown, hasKind),
    [handle, isNarrow, shown, hasKind],
  )
  const filterable = useMemo(
    () =>
      listFilterable(
        kind,
        fields.filter(({ isDeclared }) => !isDeclared).map(({ name }) => name),
      ),
    [kind, fields],
  )
  return { fields, shown, columns, filterable }
}

/** The records of a Brain, of all kinds or one, filtered by indexed fields, with one record open next to the list. */
export const RecordsPage = () => {
  const { handle } = route.useParams()
  const search = route.useSearch()
  const change = useSearchChange()
  const { declared, names, isSchemaKnown } = useKinds(handle)
  const kind = declared.find((one) => one.kind === search.kind)
  const { field, served } = useOrder(search, kind)
  const list = useRecordList(handle, search, field)
  const { fields, shown, columns, filterable } = useColumns(handle, { search, kind, sample: list.firstRecords })
  return (
    <section aria-label="Records" className="records">
      <div className="records-bar">
        <KindTabs handle={handle} kinds={names} kind={search.kind} />
        <div className="actions">
          {list.hasMoved && (
            <Button size="small" onClick={list.readAgain}>
              The Brain has changed: reload
            </Button>
          )}
          <ColumnChoice columns={fields} shown={shown} onChange={(chosen) => change({ columns: chosen })} />
          <NewRecord handle={handle} kinds={declared} kind={search.kind} />
        </div>
      </div>
      <div className="records-search">
        <ItemSearchBox type="record" q={search.q ?? ''} onSearch={(q) => change({ q, record: undefined })} />
        {search.q === undefined && (
          <FilterBar
            kind={search.kind}
            filterable={filterable}
            where={toFilter(search).where}
            onChange={(where) => change({ where: toWhereText(where) })}
          />
        )}
      </div>
      {search.q !== undefined && (
        <FoundItems handle={handle} type="record" q={search.q} kind={search.kind} asOf={search.asOf} />
      )}
      {search.q === undefined && (
        <Listed
          {...{ handle, search, list, field, columns, served, change }}
          kinds={isSchemaKnown ? declared : undefined}
        />
      )}
      <ViewAsCode example={listCode({ baseUrl, handle }, 'records', toListed(search))} />
    </section>
  )
}

type ListedProps = Omit<RecordTableProps, 'onOpen'> & {
  handle: string
  /** The field that the list is sorted by. */
  field: SchemaField | undefined
  /** Undefined until the schema is there. */
  kinds: readonly SchemaKind[] | undefined
  change: (changes: RecordsSearch) => void
}

/** The list with its count, and the open record next to it. */
const Listed = ({ handle, search, list, field, columns, served, kinds, change }: ListedProps) => {
  const isOpen = search.record !== undefined
  return (
    <>
      <Narrowed handle={handle} search={search} />
      {Object.values(toFilter(search)).every((value) => value === undefined) && (
        <BrainCount handle={handle} type="records" />
      )}
      {search.kind !== undefined && search.linksTo === undefined && list.stateVersion !== undefined && (
        <RecordCount
          handle={handle}
          filter={{ ...toFilter(search), where: toSortedWhere(field, toFilter(search).where), kind: search.kind }}
          sortedBy={field?.name}
          stateVersion={list.stateVersion}
        />
      )}
      <div className={isOpen ? 'records-split' : 'records-whole'}>
        <RecordTable {...{ list, columns, search, served }} onOpen={(id) => change({ record: id })} />
        {search.record !== undefined && (
          <RecordDrawer
            handle={handle}
            id={search.record}
            known={list.findShown(search.record)}
            kinds={kinds}
            asOf={search.asOf}
            onClose={() => change({ record: undefined })}
          />
        )}
      </div>
    </>
  )
}

const toListed = ({ kind, linksTo }: RecordsSearch): Record<string, string> => ({
  ...(kind !== undefined && { kind }),
  ...(linksTo !== undefined && { linksTo }),
})
