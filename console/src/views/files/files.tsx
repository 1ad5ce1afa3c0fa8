import '../../styles/files.css'
import type { Artifact } from '@noema/contracts/artifacts.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { DropZone } from '../../components/drop-zone.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { SearchInput } from '../../components/search-input.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { filePagesQuery, toFileName, toFolder } from '../../data/files.ts'
import { toTablePages } from '../../data/paging.ts'
import { Uploads } from '../../items/uploads.tsx'
import { useSession } from '../../session/session.tsx'
import { FileAuthor } from './file-author.tsx'
import { FileDrawer } from './file-drawer.tsx'
import { useFileUploads } from './use-file-uploads.ts'

const route = getRouteApi('/files')

/** A path: its folder lists what is in it, and its name opens the file. */
const PathCell = ({ id, path }: Artifact) => {
  const folder = toFolder(path)
  return (
    <>
      {folder !== '' && (
        <Link to="/files" search={{ prefix: folder }} className="file-folder">
          {folder}
        </Link>
      )}
      <Link to="/files" search={(before) => ({ ...before, file: id })} className="row-link" title={path}>
        {toFileName(path)}
      </Link>
    </>
  )
}

const columns: readonly Column<Artifact>[] = [
  { key: 'path', title: 'File', cell: PathCell },
  { key: 'bytes', title: 'Size', width: 90, align: 'end', cell: ({ bytes }) => toSize(bytes) },
  { key: 'type', title: 'Type', width: 190, isWide: true, cell: ({ contentType }) => <code>{contentType}</code> },
  { key: 'version', title: 'Version', width: 74, align: 'end', isWide: true, cell: ({ version }) => version },
  { key: 'source', title: 'Source', width: 80, isWide: true, cell: ({ source }) => source },
  { key: 'by', title: 'Sent by', width: 150, isWide: true, cell: ({ createdBy }) => <FileAuthor by={createdBy} /> },
  { key: 'at', title: 'Sent', width: 110, isWide: true, cell: ({ createdAt }) => <Time iso={createdAt} /> },
]

const NoFiles = ({ prefix }: { prefix: string | undefined }) =>
  prefix === undefined ? (
    <Empty title="No files yet">
      <p>
        The organization keeps PDFs, tables, images and other files here, and documents of Brains can have their text.
      </p>
      <p>
        <code>noema files upload q3.pdf --path reports/q3.pdf</code>
      </p>
    </Empty>
  ) : (
    <Empty title={`No path begins with ${prefix}`}>
      <p>A folder needs no creation: it exists as soon as a file is in it.</p>
    </Empty>
  )

/** The files of the organization, by path. */
export const Files = () => {
  const { prefix, file } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(filePagesQuery(useSession(), prefix))
  const files = useMemo(() => query.data?.pages.flatMap(({ artifacts }) => artifacts), [query.data])
  const folder = toFolder(prefix ?? '')
  const { uploads, send, clear } = useFileUploads(folder)
  return (
    <div className="page stack">
      <PageHeader
        title="Files"
        lead="Every member of the organization reads and writes them. Each upload to a path makes a new version."
      />
      <SearchInput
        label="Path begins with"
        value={prefix ?? ''}
        onChange={(text) => void navigate({ search: { prefix: text || undefined }, replace: true })}
      />
      <DropZone
        label="Upload files"
        hint={`or drop them here, up to 64 MiB each. ${folder === '' ? 'To use a folder, type it above, such as reports/.' : `They go to ${folder}`}`}
        accept="*/*"
        onFiles={(chosen) => void send(chosen)}
      />
      <Uploads
        uploads={uploads}
        onClear={clear}
        toLink={(id, name) => (
          <Link to="/files" search={(before) => ({ ...before, file: id })}>
            {name}
          </Link>
        )}
      />
      <DataTable
        label="Files"
        columns={columns}
        rows={files}
        toId={({ id }) => id}
        empty={<NoFiles prefix={prefix} />}
        onOpen={({ id }) => void navigate({ search: { prefix, file: id } })}
        {...toTablePages(query)}
      />
      <FileDrawer id={file} onClose={() => void navigate({ search: { prefix }, replace: true })} />
    </div>
  )
}
