type SkeletonProps = { /** Lines of text. */ lines?: number /** Or a box of this many pixels. */; height?: number }

/** A placeholder of the same size, so that nothing jumps. Appears late, so that quick responses do not flicker. */
export const Skeleton = ({ lines = 3, height }: SkeletonProps) => (
  <div className="skeleton" role="status" aria-label="Loading">
    {height === undefined ? (
      [...Array(lines).keys()].map((line) => <span key={line} className="skeleton-line" />)
    ) : (
      <span className="skeleton-box" style={{ height }} />
    )}
  </div>
)
