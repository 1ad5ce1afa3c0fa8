import type { Artifact } from '@noema/contracts/artifacts.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { fileBytesQuery, toFileName } from '../../data/files.ts'
import { useSession } from '../../session/session.tsx'

// The bytes of a file as the browser itself shows them. A file is hostile content: a PDF goes to the browser's own viewer, a web page to
// a frame without scripts, forms, origin and network, and anything else is text or not shown.

type View = 'pdf' | 'html' | 'text'

const texts = /^(?:text\/|message\/rfc822$|application\/(?:json|xml)$)/

/** The view of a file in the browser; undefined for types that it cannot show safely. */
const findView = ({ contentType }: Artifact): View | undefined => {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/pdf') return 'pdf'
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  return texts.test(type) ? 'text' : undefined
}

type ShownProps = { bytes: Blob; name: string; page: number }

/** The blob has the type of a PDF for any bytes, so the browser never takes it for a page. */
const PdfFrame = ({ bytes, name, page }: ShownProps) => {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(bytes.slice(0, bytes.size, 'application/pdf'))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  // Viewers read the page from the address when they open a file.
  return url && <iframe key={page} title={name} src={`${url}#page=${page}`} className="original-file" />
}

const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`

/** Longer texts are cut: the browser lays out all of them. */
const maxCharacters = 200_000

const useText = (bytes: Blob): string | undefined => {
  const [text, setText] = useState<string>()
  useEffect(() => {
    let isShown = true
    void bytes
      .slice(0, maxCharacters)
      .text()
      .then((read) => isShown && setText(read))
    return () => {
      isShown = false
    }
  }, [bytes])
  return text
}

const HtmlFrame = ({ bytes, name }: ShownProps) => {
  const text = useText(bytes)
  return (
    text !== undefined && (
      <iframe title={name} sandbox="" srcDoc={policy + text} className="original-file original-page" />
    )
  )
}

const PlainText = ({ bytes }: ShownProps) => <pre className="original-file boxed">{useText(bytes)}</pre>

const views = { pdf: PdfFrame, html: HtmlFrame, text: PlainText }

/** A file as the browser shows it, at a page. */
export const Original = ({ file, page }: { file: Artifact; page: number }) => {
  const view = findView(file)
  const { data, error } = useQuery({ ...fileBytesQuery(useSession(), file), enabled: view !== undefined })
  if (!view)
    return (
      <p className="muted">
        Browsers do not show <code>{file.contentType}</code>. Download the file to see it.
      </p>
    )
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={10} />
  const Shown = views[view]
  return <Shown bytes={data} name={toFileName(file.path)} page={page} />
}
