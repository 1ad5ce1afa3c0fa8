import { CopyButton } from './copy-button.tsx'

/** An id or address in full, with a button that copies it. */
export const CopiedId = ({ id, what = 'the id' }: { id: string; what?: string }) => (
  <span className="copied-id">
    <code>{id}</code>
    <CopyButton text={id} what={what} isQuiet />
  </span>
)
