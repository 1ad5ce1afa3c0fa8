/** Announces that something is loading. Appears late, so that quick responses do not flicker. */
export const Loading = () => (
  <p className="loading" role="status">
    Loading…
  </p>
)
