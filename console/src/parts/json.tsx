/** A value as it is sent, to be read and copied from. */
export const Json = ({ label, value }: { label: string; value: unknown }) => (
  <figure className="json">
    <figcaption>{label}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
    <pre tabIndex={0}>
      <code>{JSON.stringify(value, null, 2)}</code>
    </pre>
  </figure>
)
