/** The mark of Noema: an open circle around a point, with the stream that leaves it. */
export const Mark = ({ size = 22 }: { size?: number }) => (
  <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M22.5 22.5a9.2 9.2 0 1 1 0-13M21 16h4.5" />
    <circle cx="16" cy="16" r="2.6" />
  </svg>
)
