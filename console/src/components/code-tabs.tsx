import type { KeyboardEvent } from 'react'
import { useId, useState } from 'react'
import { type CodeExample, codeForms, formNames } from '../code/examples.ts'
import { CopyButton } from './copy-button.tsx'

/** One call as curl, SDK and command line. The arrow keys move between the tabs. */
const CodeTabs = ({ example }: { example: CodeExample }) => {
  const [form, setForm] = useState<(typeof codeForms)[number]>('curl')
  const id = useId()
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const next = step && codeForms[(codeForms.indexOf(form) + step + codeForms.length) % codeForms.length]
    if (!next) return
    setForm(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <div className="code-tabs">
      <div className="code-bar">
        <div role="tablist" aria-label="Language of the example">
          {codeForms.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === form}
              aria-controls={`${id}-code`}
              tabIndex={name === form ? 0 : -1}
              onClick={() => setForm(name)}
              onKeyDown={move}
            >
              {formNames[name]}
            </button>
          ))}
        </div>
        <CopyButton text={example[form]} what="the code" isQuiet />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <pre id={`${id}-code`} role="tabpanel" aria-labelledby={`${id}-${form}`} tabIndex={0}>
        <code>{example[form]}</code>
      </pre>
    </div>
  )
}

/** The same behind a line that opens it. */
export const ViewAsCode = ({ example }: { example: CodeExample }) => (
  <details className="view-as-code">
    <summary>View as code</summary>
    <CodeTabs example={example} />
  </details>
)
