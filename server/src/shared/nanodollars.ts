/** Billionths of a dollar in a cent. */
export const nanodollarsPerCent = 10_000_000
