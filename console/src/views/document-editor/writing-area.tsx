import { useId, useState } from 'react'
import { RadioGroup } from '../../components/choices.tsx'
import { Markdown } from '../../components/markdown.tsx'

const panes = [
  { value: 'write', name: 'Write' },
  { value: 'preview', name: 'Preview' },
] as const

type WritingAreaProps = {
  text: string
  onChange: (text: string) => void
  isMarkdown: boolean
  errorId: string | undefined
}

/** The text of a document with its preview: next to each other on a wide screen, one of both on a narrow one. */
export const WritingArea = ({ text, onChange, isMarkdown, errorId }: WritingAreaProps) => {
  const id = useId()
  const [shown, setShown] = useState<'write' | 'preview'>('write')
  return (
    <div className="writing" data-shown={isMarkdown ? shown : 'write'} data-preview={isMarkdown || undefined}>
      {isMarkdown && (
        <div className="writing-choice">
          <RadioGroup label="Pane" isLabelHidden isSegments options={panes} value={shown} onChange={setShown} />
        </div>
      )}
      <div className="writing-pane field" data-pane="write">
        <label htmlFor={id}>Text</label>
        <textarea
          id={id}
          name="text"
          className="mono"
          value={text}
          spellCheck
          aria-describedby={errorId}
          aria-invalid={errorId !== undefined || undefined}
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
      {isMarkdown && (
        <section className="writing-pane" data-pane="preview" aria-label="Preview">
          <p className="writing-label" aria-hidden>
            Preview
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
          <div className="writing-preview" tabIndex={0}>
            {text.trim() === '' ? <p className="muted">Nothing to preview yet.</p> : <Markdown text={text} />}
          </div>
        </section>
      )}
    </div>
  )
}
