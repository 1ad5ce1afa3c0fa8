import { type KeyboardEvent, useId, useState } from 'react'
import { CopyButton } from './copy-button.tsx'

/** One call in several languages. A call without a command or tool omits it. */
export type CodeExample = { curl: string; sdk?: string; cli?: string; mcp?: string }

type Form = keyof CodeExample
const forms: readonly Form[] = ['curl', 'sdk', 'cli', 'mcp']
const formNames: Readonly<Record<Form, string>> = { curl: 'curl', sdk: 'TypeScript', cli: 'CLI', mcp: 'MCP' }

/** Code to read and copy, below a caption. */
export const Code = ({ code, label }: { code: string; label?: string }) => (
  <figure className="code-block">
    <figcaption>
      <span>{label}</span>
      <CopyButton text={code} what="the code" isQuiet />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
    <pre tabIndex={0}>
      <code>{code}</code>
    </pre>
  </figure>
)

/** One call as curl, SDK, command line and MCP tool, to copy. The arrow keys move between them. */
export const CodeExamples = ({ example }: { example: CodeExample }) => {
  const given = forms.filter((one) => example[one] !== undefined)
  const [form, setForm] = useState<Form>('curl')
  const id = useId()
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const next = step && given[(given.indexOf(form) + step + given.length) % given.length]
    if (!next) return
    setForm(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  const code = example[form] ?? example.curl
  return (
    <div className="code-tabs">
      <div className="code-bar">
        <div role="tablist" aria-label="Language of the example">
          {given.map((name) => (
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
        <CopyButton text={code} what="the code" isQuiet />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <pre id={`${id}-code`} role="tabpanel" aria-labelledby={`${id}-${form}`} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  )
}

/** The collapsed code of the page's call. */
export const ViewAsCode = ({ example }: { example: CodeExample }) => (
  <details className="view-as-code">
    <summary>View as code</summary>
    <CodeExamples example={example} />
  </details>
)
