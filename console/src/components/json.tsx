import { type ReactNode, useState } from 'react'
import { CopyButton } from './copy-button.tsx'

type TextBlockProps = { label: string; text: ReactNode; wraps?: boolean }

/** A stored text below its label. Lines do not wrap by default. */
export const TextBlock = ({ label, text, wraps = false }: TextBlockProps) => (
  <figure className="json">
    <figcaption>{label}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
    <pre tabIndex={0} className={wraps ? 'wraps' : undefined}>
      <code>{text}</code>
    </pre>
  </figure>
)

type NodeProps = { name?: string | undefined; value: unknown; depth: number; isLast: boolean }

const Leaf = ({ value }: { value: unknown }) => {
  const sort = value === null ? 'null' : typeof value
  return <span className={`json-${sort}`}>{JSON.stringify(value) ?? 'undefined'}</span>
}

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <>
      <span className="json-name">{JSON.stringify(name)}</span>
      {': '}
    </>
  )

const Node = ({ name, value, depth, isLast }: NodeProps) => {
  const [isOpen, setOpen] = useState(depth > 0)
  const comma = isLast ? '' : ','
  const isList = Array.isArray(value)
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0)
    return (
      <div className="json-line">
        <Name name={name} />
        {typeof value === 'object' && value !== null ? isList ? '[]' : '{}' : <Leaf value={value} />}
        {comma}
      </div>
    )
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return (
    <div className="json-line">
      <button type="button" className="json-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="off-screen">{isOpen ? 'Fold' : 'Unfold'}</span>
      </button>
      <Name name={name} />
      {open}
      {isOpen ? (
        <div className="json-children">
          {entries.map(([key, child], index) => (
            <Node
              key={key}
              name={isList ? undefined : key}
              value={child}
              depth={depth - 1}
              isLast={index === entries.length - 1}
            />
          ))}
        </div>
      ) : (
        <span className="json-folded"> {entries.length} … </span>
      )}
      {close}
      {comma}
    </div>
  )
}

type JsonProps = {
  value: unknown
  label?: string
  /** The number of levels that are expanded at first. */
  depth?: number
}

/** A JSON value to read, collapse and copy. */
export const Json = ({ value, label = 'JSON', depth = 3 }: JsonProps) => (
  <figure className="json">
    <figcaption>
      <span>{label}</span>
      <CopyButton text={JSON.stringify(value, null, 2) ?? ''} what={label} isQuiet />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
    <div className="json-tree mono" tabIndex={0}>
      <Node value={value} depth={depth} isLast />
    </div>
  </figure>
)
