import type { BrainDocument } from '@noema/contracts/documents.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { baseUrl } from '../../base-path.ts'
import { toTablePages } from '../../data/paging.ts'
import { toAmount } from '../../plural.ts'
import '../../styles/documents.css'
import '../../styles/records.css'
import { listCode } from '../../code/examples.ts'
import { Button } from '../../components/button.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { DropZone } from '../../components/drop-zone.tsx'
import { Empty } from '../../components/empty.tsx'
import { later } from '../../components/later.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { TextFilter } from '../../components/text-filter.tsx'
import { Time } from '../../components/time.tsx'
import { documentPagesQuery } from '../../data/documents.ts'
import { Uploads } from '../../items/uploads.tsx'
import { FoundItems, ItemSearchBox } from '../../search/found-items.tsx'
import { useSession } from '../../session/session.tsx'
import { DocumentCount } from './document-count.tsx'
import { useDocumentUploads } from './use-document-uploads.ts'

const route = getRouteApi('/brains/$handle/documents')

const toColumns = (handle: string): Column<BrainDocument>[] => [
  {
    key: 'title',
    title: 'Document',
    cell: ({ id, title }) => (
      <Link to="/brains/$handle/documents/$id" params={{ handle, id }} className="row-link" title={id}>
        {title ?? id}
      </Link>
    ),
  },
  { key: 'id', title: 'Id', isWide: true, cell: ({ id }) => <code>{id}</code> },
  {
    key: 'source',
    title: 'Source',
    width: 140,
    isWide: true,
    cell: ({ source }) =>
      source && (
        <Link to="/brains/$handle/documents" params={{ handle }} search={{ source: source.name }}>
          {source.name}
        </Link>
      ),
  },
  {
    key: 'length',
    title: 'Characters',
    width: 100,
    align: 'end',
    isWide: true,
    cell: ({ length }) => toAmount(length),
  },
  { key: 'version', title: 'Version', width: 74, align: 'end', cell: ({ version }) => version },
  { key: 'updated', title: 'Updated', width: 110, isWide: true, cell: ({ updatedAt }) => <Time iso={updatedAt} /> },
]

const SourceFilter = ({ source }: { source: string | undefined }) => {
  const navigate = useNavigate({ from: '/brains/$handle/documents' })
  return (
    <TextFilter
      label="Source"
      value={source}
      placeholder="All sources"
      submit="Filter"
      onSubmit={(text) => void navigate({ search: { source: text || undefined } })}
    >
      {source !== undefined && (
        <Button size="small" tone="quiet" onClick={() => void navigate({ search: {} })}>
          All sources
        </Button>
      )}
    </TextFilter>
  )
}

const toDocumentLink = (handle: string, id: string, name: string) => (
  <Link to="/brains/$handle/documents/$id" params={{ handle, id }}>
    {name}
  </Link>
)

const Actions = ({ handle, source }: { handle: string; source: string | undefined }) => (
  <div className="actions">
    <LinkButton to="/brains/$handle/documents" params={{ handle }} search={{ skill: '*' }} size="small">
      Skills
    </LinkButton>
    <LinkButton to="/brains/$handle/sources" params={{ handle }} search={{ source }} size="small">
      Sources and snapshots
    </LinkButton>
    <LinkButton to="/brains/$handle/new-document" params={{ handle }} search={{ source }} size="small" tone="primary">
      New document
    </LinkButton>
  </div>
)

const Skills = later(async () => (await import('../skills/skills.tsx')).Skills)

/** The documents of a Brain, or those that are skills. */
export const DocumentsPage = () => {
  const { handle } = route.useParams()
  const { skill, file } = route.useSearch()
  return skill === undefined ? (
    <DocumentList />
  ) : (
    <Skills handle={handle} skill={skill} file={file} meanwhile={<Skeleton />} />
  )
}

/** The documents of a Brain. Uploaded files become documents. */
const DocumentList = () => {
  const { handle } = route.useParams()
  const { source, q } = route.useSearch()
  const navigate = useNavigate({ from: '/brains/$handle/documents' })
  const query = useInfiniteQuery(documentPagesQuery(useSession(), handle, source))
  const { uploads, send, clear } = useDocumentUploads(handle, source)
  const documents = useMemo(() => query.data?.pages.flatMap((page) => page.documents), [query.data])
  const columns = useMemo(() => toColumns(handle), [handle])
  return (
    <section aria-label="Documents" className="documents">
      <div className="records-bar">
        <ItemSearchBox
          type="document"
          q={q ?? ''}
          onSearch={(text) => void navigate({ search: (before) => ({ ...before, q: text }), replace: true })}
        />
        {q === undefined && <SourceFilter source={source} />}
        <Actions handle={handle} source={source} />
      </div>
      <DropZone
        label="Upload files"
        hint="or drop text and Markdown here. A file of the same name becomes the next version."
        onFiles={(files) => void send(files)}
      />
      <Uploads uploads={uploads} onClear={clear} toLink={(id, name) => toDocumentLink(handle, id, name)} />
      {q === undefined && <DocumentCount handle={handle} source={source} query={query} />}
      {q !== undefined && <FoundItems handle={handle} type="document" q={q} />}
      {q === undefined && (
        <DataTable
          label="Documents"
          columns={columns}
          rows={documents}
          toId={({ id }) => id}
          empty={
            <Empty title={source === undefined ? 'No documents yet' : `No documents from ${source}`}>
              <p>A document is a text with versions: a page, a transcript, a note. Searches find passages of it.</p>
            </Empty>
          }
          {...toTablePages(query)}
        />
      )}
      <ViewAsCode example={listCode({ baseUrl, handle }, 'documents', source === undefined ? {} : { source })} />
    </section>
  )
}
