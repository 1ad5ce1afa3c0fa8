import DOMPurify from 'dompurify'
import markdownIt from 'markdown-it'
import { useLayoutEffect, useMemo, useRef } from 'react'

const renderer = markdownIt({ html: false, linkify: true, breaks: false })

/** Headings of a text stand below those of its page. */
renderer.core.ruler.push('lower_headings', ({ tokens }) => {
  for (const token of tokens)
    if (token.type === 'heading_open' || token.type === 'heading_close')
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`
})

/** A picture of another host would tell that host who reads the text, so a link stands in its place. */
const replacePictures = (fragment: DocumentFragment): void => {
  for (const image of fragment.querySelectorAll('img')) {
    const link = document.createElement('a')
    link.href = image.src
    link.textContent = image.alt || image.src
    image.replaceWith(link)
  }
}

const render = (text: string): DocumentFragment => {
  const fragment = DOMPurify.sanitize(renderer.render(text), { RETURN_DOM_FRAGMENT: true, FORBID_TAGS: ['style'] })
  replacePictures(fragment)
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  return fragment
}

/** Markdown as a page shows it. HTML in it stays text. */
export const RenderedMarkdown = ({ text }: { text: string }) => {
  const box = useRef<HTMLDivElement>(null)
  const fragment = useMemo(() => render(text), [text])
  useLayoutEffect(() => {
    box.current?.replaceChildren(fragment.cloneNode(true))
  }, [fragment])
  return <div ref={box} className="markdown" />
}
