import '../styles/markdown.css'
import { useDeferredValue } from 'react'
import { later } from './later.tsx'

/** A longer text is shown as it is: rendering it would block the page. */
const maxRendered = 100_000

const Rendered = later(async () => (await import('./rendered-markdown.tsx')).RenderedMarkdown)

const Plain = ({ text }: { text: string }) => <p className="message-text">{text}</p>

/** A text that people or models wrote as Markdown. Until the renderer is loaded, and if it is very long, it is shown as it is. */
export const Markdown = ({ text }: { text: string }) => {
  // A text that still grows is rendered when there is time for it.
  const shown = useDeferredValue(text)
  return shown.length > maxRendered ? (
    <Plain text={shown} />
  ) : (
    <Rendered text={shown} meanwhile={<Plain text={shown} />} />
  )
}
