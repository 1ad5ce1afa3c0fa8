/** A share from 0 to 1, for people. */
export const toPercent = (share: number): string => `${(share * 100).toFixed(1)} %`

/** The difference of two shares, in percentage points; nothing if there is none to compare with. */
export const toDelta = (delta: number | null): string =>
  delta === null ? '' : `${delta < 0 ? '−' : '+'}${Math.abs(delta * 100).toFixed(1)}`
