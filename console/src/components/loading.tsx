/** Said while an answer is awaited. Appears late, so that quick answers do not flicker. */
export const Loading = ({ what = 'Loading…' }: { what?: string }) => (
  <p className="loading" role="status">
    {what}
  </p>
)
