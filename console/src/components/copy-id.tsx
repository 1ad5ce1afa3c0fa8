import { CopyButton } from './copy-button.tsx'

const shorten = (id: string): string => (id.length > 18 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id)

/** An id, shortened if it is long. The tooltip and the copy have all of it. */
export const CopyId = ({ id, what = 'the id' }: { id: string; what?: string }) => (
  <span className="copied-id">
    <code title={id}>{shorten(id)}</code>
    <CopyButton text={id} what={what} isQuiet />
  </span>
)
