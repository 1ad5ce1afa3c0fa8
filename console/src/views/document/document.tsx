import type { BrainDocument } from '@noema/contracts/documents.ts'
import { NotFoundError } from '@noema/sdk/errors.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { toAmount } from '../../plural.ts'
import '../../styles/documents.css'
import '../../styles/record.css'
import { baseUrl } from '../../base-path.ts'
import { readCode } from '../../code/examples.ts'
import { Badge, Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Json } from '../../components/json.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { type DocumentWithText, documentQuery, documentVersionsQuery } from '../../data/documents.ts'
import { readSpan } from '../../data/item-paths.ts'
import { ChangeAuthor } from '../../items/change-author.tsx'
import { useSession } from '../../session/session.tsx'
import { EditDocument, UnsavedText } from '../document-editor/edit-document.tsx'
import { FileAndText } from './file-and-text.tsx'
import { MarkedText } from './marked-text.tsx'
import { RetireDocument } from './retire-document.tsx'
import { Usage } from './usage.tsx'
import { Versions } from './versions.tsx'

const route = getRouteApi('/brains/$handle/documents/$id')

const Head = ({ document, handle }: { document: DocumentWithText; handle: string }) => (
  <div className="record-head">
    <h2>{document.title ?? document.id}</h2>
    <p className="about">
      <Status state={document.status} tone={document.status === 'served' ? 'good' : 'neutral'} />
      {document.metadata.derivedFrom !== undefined && <Badge tone="info">derived page</Badge>}
      <CopyId id={document.id} />
      <span>version {document.version}</span>
      <span>{document.contentType}</span>
      <span>{toAmount(document.length)} characters</span>
      {document.source && (
        <span>
          from{' '}
          <Link to="/brains/$handle/documents" params={{ handle }} search={{ source: document.source.name }}>
            {document.source.name}
          </Link>
        </span>
      )}
      {document.artifact && (
        <span>
          text of{' '}
          {document.artifactDeleted ? (
            document.artifact.path
          ) : (
            <Link to="/files" search={{ file: document.artifact.id }}>
              {document.artifact.path}
            </Link>
          )}
          , version {document.artifact.version}
          {document.artifactDeleted && ' (deleted since)'}
        </span>
      )}
      <Time iso={document.updatedAt} />
      <ChangeAuthor handle={handle} change={document.provenance.change} provenance={document.provenance} />
      {document.provenance.trust !== undefined && (
        <span className="trust" data-trust={document.provenance.trust}>
          {document.provenance.trust}
        </span>
      )}
    </p>
  </div>
)

/** The notice on a version that is not the latest. */
const Since = ({ shown, newest }: { shown: BrainDocument; newest: BrainDocument | undefined }) => {
  const { handle, id } = route.useParams()
  if (newest === undefined || newest.version === shown.version) return null
  return (
    <Notice tone="warning">
      <p>
        This is version {shown.version}. It has changed since:{' '}
        <Link to="/brains/$handle/documents/$id" params={{ handle, id }}>
          version {newest.version} is live
        </Link>
        .
      </p>
    </Notice>
  )
}

const Gone = ({ error }: { error: Error }) => {
  const { handle, id } = route.useParams()
  if (!(error instanceof NotFoundError)) return <FailureNotice error={error} />
  return (
    <>
      <h2>{id}</h2>
      <Notice tone="warning">
        <p>No current document has this id. You can still read its earlier versions.</p>
      </Notice>
      <Versions handle={handle} id={id} shown={undefined} />
    </>
  )
}

/** The text, rendered and as it was written, the versions, and the uses of a document. */
const DocumentTabs = ({ document: { text, ...document } }: { document: DocumentWithText }) => {
  const { handle, id } = route.useParams()
  const { tab = 'text', span } = route.useSearch()
  const navigate = useNavigate({ from: '/brains/$handle/documents/$id' })
  const { artifact } = document
  const isMarkdown = document.contentType === 'text/markdown'
  const source = () => <MarkedText label={`Text of version ${document.version}`} text={text} span={readSpan(span)} />
  return (
    <Tabs
      label="Of this document"
      value={tab}
      onChange={(chosen) =>
        void navigate({
          search: (before) => ({ ...before, tab: chosen === 'text' ? undefined : chosen }),
          replace: true,
        })
      }
      tabs={[
        // A link to a part of the text shows that part as it was written.
        { value: 'text', name: 'Text', content: isMarkdown && !span ? () => <Markdown text={text} /> : source },
        ...(isMarkdown ? [{ value: 'source' as const, name: 'Source', content: source }] : []),
        ...(artifact && !document.artifactDeleted
          ? [
              {
                value: 'file' as const,
                name: 'Next to its file',
                content: () => <FileAndText artifact={artifact} text={text} />,
              },
            ]
          : []),
        {
          value: 'versions',
          name: 'Versions',
          content: () => <Versions handle={handle} id={id} shown={document.version} />,
        },
        { value: 'usage', name: 'Where it was used', content: () => <Usage handle={handle} id={id} /> },
        { value: 'json', name: 'Details', content: () => <Json label="Without the text" value={document} /> },
      ]}
    />
  )
}

/** One document: its current text or an earlier one, its versions with their differences, and its uses. */
export const DocumentPage = () => {
  const { handle, id } = route.useParams()
  const { asOf, version, edit } = route.useSearch()
  const navigate = useNavigate({ from: '/brains/$handle/documents/$id' })
  const session = useSession()
  const { data, error } = useQuery(documentQuery(session, handle, id, { asOf, version }))
  const versions = useInfiniteQuery(documentVersionsQuery(session, handle, id))
  useCrumbName(`/brains/${handle}/documents/${encodeURIComponent(id)}`, data?.document.title ?? undefined)
  const openEditor = (isOpen: boolean) => void navigate({ search: isOpen ? { edit: true } : {}, resetScroll: false })
  const isEditable = version === undefined && asOf === undefined && data?.document.status === 'served'
  // An open editor stays, whatever happens to the document or the connection.
  if (edit && isEditable)
    return <EditDocument handle={handle} document={data.document} onClose={() => openEditor(false)} />
  if (error) return <Gone error={error} />
  if (!data) return <Skeleton lines={10} />
  const { document } = data
  return (
    <section aria-label="Document" className="record">
      <div className="record-top">
        <Head document={document} handle={handle} />
        {isEditable && (
          <div className="field-actions">
            <Button size="small" tone="primary" icon="edit" onClick={() => openEditor(true)}>
              Edit
            </Button>
            <RetireDocument handle={handle} document={document} />
          </div>
        )}
      </div>
      {isEditable && <UnsavedText handle={handle} id={id} onEdit={() => openEditor(true)} />}
      <Since shown={document} newest={versions.data?.pages[0]?.versions[0]} />
      {document.unsearchable !== undefined && (
        <Notice tone="warning">
          <p>Search cannot find this version: {document.unsearchable}</p>
        </Notice>
      )}
      <DocumentTabs document={document} />
      <ViewAsCode example={readCode({ baseUrl, handle }, { what: 'documents', id, asOf })} />
    </section>
  )
}
