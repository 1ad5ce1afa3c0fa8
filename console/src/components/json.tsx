import type { ReactNode } from 'react'

/** A text as it is stored, under a line that says what it is. Lines keep their length unless told to wrap. */
export const TextBlock = ({ label, text, wraps = false }: { label: string; text: ReactNode; wraps?: boolean }) => (
  <figure className="json">
    <figcaption>{label}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
    <pre tabIndex={0} className={wraps ? 'wraps' : undefined}>
      <code>{text}</code>
    </pre>
  </figure>
)

/** A value as it is sent, to be read and copied from. */
export const Json = ({ label, value }: { label: string; value: unknown }) => (
  <TextBlock label={label} text={JSON.stringify(value, null, 2)} />
)
