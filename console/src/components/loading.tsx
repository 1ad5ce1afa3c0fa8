/** Announces that something is loading. Appears late, so that quick responses do not flicker. */
export const Loading = ({ what = 'Loading…' }: { what?: string }) => (
  <p className="loading" role="status">
    {what}
  </p>
)
