type SkeletonProps = { /** Lines of text. */ lines?: number /** Or a box of this many pixels. */; height?: number }

/** Stands for what is being loaded, in its size, so that nothing jumps. Appears late: quick answers do not flicker. */
export const Skeleton = ({ lines = 3, height }: SkeletonProps) => (
  <div className="skeleton" role="status" aria-label="Loading">
    {height === undefined ? (
      [...Array(lines).keys()].map((line) => <span key={line} className="skeleton-line" />)
    ) : (
      <span className="skeleton-box" style={{ height }} />
    )}
  </div>
)
