import '../styles/search.css'
import type { Result } from '@noema/contracts/endpoint.ts'
import type { searchBrain } from '@noema/contracts/search.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '../address.tsx'
import { Empty } from '../components/empty.tsx'
import { SearchInput } from '../components/search-input.tsx'
import type { Column } from '../components/table/columns.ts'
import { DataTable } from '../components/table/data-table.tsx'
import { itemPath } from '../data/item-paths.ts'
import { consumerId } from '../data/records.ts'
import { Marked } from '../items/marked.tsx'
import { type Session, useSession } from '../session/session.tsx'

type Hit = Result<typeof searchBrain>['results'][number]
type Sort = 'record' | 'document'
type Asked = { type: Sort; q: string; kind?: string | undefined; asOf?: number | undefined }

/** The service returns no more. */
const maxFound = 100

/** The items of one type that have the words of a text, best first. */
const foundItemsQuery = ({ organization, client }: Session, handle: string, { type, q, kind, asOf }: Asked) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'search', 'list', { type, q, kind, asOf }],
    queryFn: async ({ signal }) => {
      const kinds = kind === undefined ? {} : { kinds: [kind] }
      const asked = { q, types: [type], ...kinds, asOf, mode: 'lexical', limit: maxFound, consumerId } as const
      const { results, degraded } = await client.brain(handle).search(asked, { signal })
      return { hits: results.filter(({ why }) => why.some(({ reason }) => reason === 'words')), degraded }
    },
    // Each search stores a receipt.
    staleTime: 30_000,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  })

const toColumns = (handle: string, { type, asOf }: Asked): readonly Column<Hit>[] => [
  {
    key: 'title',
    title: type === 'record' ? 'Record' : 'Document',
    width: 260,
    sort: ({ title }) => title,
    cell: (hit) => (
      <Link to={itemPath(handle, hit, { ...(asOf !== undefined && { asOf }), span: hit.span })} className="row-link">
        {hit.title || hit.id}
      </Link>
    ),
  },
  ...(type === 'record'
    ? [{ key: 'kind', title: 'Kind', width: 110, sort: ({ kind }: Hit) => kind, cell: ({ kind }: Hit) => kind }]
    : []),
  {
    key: 'text',
    title: 'Where the words are',
    isWide: true,
    cell: ({ snippet, highlights }) => (
      <Marked text={snippet} spans={highlights} write={(piece) => piece.replaceAll('\n', ' · ')} />
    ),
  },
  {
    key: 'version',
    title: 'Version',
    width: 74,
    align: 'end',
    isWide: true,
    sort: ({ version }) => version,
    cell: ({ version }) => version,
  },
]

const toAmount = (count: number, type: Sort): string => {
  if (count >= maxFound) return `The best ${maxFound} ${type}s. Use more words to narrow the search.`
  return `${count} ${count === 1 ? type : `${type}s`}, best first`
}

/** The search box of a list of records or documents. */
export const ItemSearchBox = ({ type, q, onSearch }: Asked & { onSearch: (q: string | undefined) => void }) => (
  <SearchInput
    label={`Search ${type}s by words`}
    value={q}
    onChange={(text) => onSearch(text.trim() === '' ? undefined : text.trim())}
  />
)

/** The records or documents with the words of a search, in place of the whole list. */
export const FoundItems = ({ handle, ...asked }: Asked & { handle: string }) => {
  const { data, error, refetch } = useQuery(foundItemsQuery(useSession(), handle, asked))
  const { type, q, kind } = asked
  return (
    <>
      <p className="muted small" role="status">
        {data ? toAmount(data.hits.length, type) : ' '}
        {data?.degraded?.map(({ message }) => ` ${message}`)}
      </p>
      <DataTable
        label={`Found ${type}s`}
        columns={toColumns(handle, asked)}
        rows={data?.hits}
        toId={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title={`No ${kind ?? ''} ${type} has the words “${q}”`}>
            Words are compared as a whole: “harbour” finds “harbours”, “harb” does not.
          </Empty>
        }
      />
    </>
  )
}
